{{page ladder-:family.js SELECT family, title FROM families}}
whyfast.ladder({"family": {{family}}, "title": {{title}}});
