// Opens the kernel that the address names, as in conflicts.html#gemm-13_async_copies, and keeps the
// address of the one that was opened last. A reader can choose the kernels of one ladder, as in
// conflicts.html#ladder=gemm: then the headline, the bars, the counts and the picture are of these.
'use strict';
(() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const kernels = all('details.kernel'), heads = document.querySelector('.heads'), title = document.querySelector('h1');
  const pictures = all('figure.wide'), named = title.querySelectorAll('span'), whole = [...title.childNodes];
  const widths = new Map(kernels.map(kernel => [kernel, parseFloat(kernel.querySelector('.length').style.width) || 0]));
  const pick = document.createElement('select');

  function choose(family) {
    const is_of = node => family === '' || node.dataset.family === family;
    pick.value = family;
    for (const node of all('[data-family]:not(figure)')) node.hidden = !is_of(node);
    const shown = kernels.filter(is_of), most = Math.max(...shown.map(kernel => widths.get(kernel)));
    for (const kernel of shown)
      kernel.querySelector('.length').style.width = `${most > 0 ? 100 * widths.get(kernel) / most : 0}%`;
    const worst = shown.find(kernel => kernel.dataset.cost);
    if (worst && named.length) {
      named[0].replaceChildren(...[...worst.querySelector('b').childNodes].map(node => node.cloneNode()));
      named[1].textContent = worst.dataset.cost;
      named[2].textContent = worst.querySelectorAll('.number')[1].textContent.replace(' ', '\u00a0');
    }
    title.replaceChildren(...worst || family === '' ? whole : [title.dataset.none]);
    for (const picture of pictures) picture.hidden = (picture.dataset.family || '') !== family;
    for (const words of all('summary > [data-many]')) {
      const count = [...words.closest('details').querySelectorAll('[data-family]')].filter(is_of).length;
      words.textContent = count === 1 ? words.dataset.one : `${count} ${words.dataset.many}`;
      words.closest('details').hidden = count === 0;
    }
  }
  const open = () => {
    const name = decodeURIComponent(location.hash.slice(1)), kernel = document.getElementById(name);
    if (name.startsWith('ladder=') && [...pick.options].some(({value}) => value === name.slice(7))) choose(name.slice(7));
    if (!kernel || kernel.tagName !== 'DETAILS') return;
    if (kernel.hidden) choose('');
    const small = kernel.closest('details.small');
    if (small) small.open = true;
    kernel.open = true;
    kernel.scrollIntoView();
  };
  const families = [...new Set(kernels.map(({dataset}) => dataset.family))];
  if (heads && families.length > 1) {
    const label = document.createElement('label');
    pick.append(new Option('all ladders', ''), ...families.sort().map(family => new Option(family)));
    pick.addEventListener('change', () => {
      history.replaceState(null, '', '#' + (pick.value && 'ladder=' + pick.value));
      choose(pick.value);
    });
    label.className = 'pick';
    label.append('Show ', pick);
    heads.before(label);
  }
  for (const kernel of kernels)
    kernel.addEventListener('toggle', () => {
      if (kernel.open) history.replaceState(null, '', '#' + encodeURIComponent(kernel.id));
    });
  addEventListener('hashchange', open);
  open();
})();
