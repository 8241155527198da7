// Opens the kernel that the address names, as in conflicts.html#gemm-13_async_copies, and keeps the
// address of the one that was opened last. A reader can choose the kernels of one ladder.
'use strict';
(() => {
  const open = () => {
    const kernel = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!kernel || kernel.tagName !== 'DETAILS') return;
    const small = kernel.closest('details.small');
    if (small) small.open = true;
    kernel.open = true;
    kernel.scrollIntoView();
  };
  const kernels = [...document.querySelectorAll('details.kernel')], heads = document.querySelector('.heads');
  const families = [...new Set(kernels.map(({id}) => id.split('-')[0]))];
  if (heads && families.length > 1) {
    const pick = document.createElement('select'), label = document.createElement('label');
    pick.append(new Option('all ladders', ''), ...families.sort().map(family => new Option(family)));
    pick.addEventListener('change', () => {
      for (const kernel of kernels)
        kernel.hidden = pick.value !== '' && kernel.id.split('-')[0] !== pick.value;
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
