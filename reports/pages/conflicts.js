// Opens the kernel that the address names, as in conflicts.html#gemm-13_async_copies, and keeps the
// address of the one that was opened last.
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
  for (const kernel of document.querySelectorAll('details.kernel'))
    kernel.addEventListener('toggle', () => {
      if (kernel.open) history.replaceState(null, '', '#' + encodeURIComponent(kernel.id));
    });
  addEventListener('hashchange', open);
  open();
})();
