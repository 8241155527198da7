// The address of a step on the index, as on the page of its ladder, leads to that page.
'use strict';
(() => {
  const lead = () => {
    const step = /^#step=([^/&]+)\//.exec(location.hash), page = step && `ladder-${step[1]}.html`;
    if (page && document.querySelector(`a[href^="${CSS.escape(page)}"]`)) location.replace(page + location.hash);
  };
  lead();
  addEventListener('hashchange', lead);
})();
