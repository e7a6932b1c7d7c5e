// Runs before the first paint, so that a dark page never flashes white. A file of its own as the page allows no inline script.
(function boot() {
  let theme;
  try {
    theme = localStorage.getItem('treadle.theme');
  } catch {
    // Storage may be forbidden; the system's preference then decides.
  }
  const dark = theme === 'dark' || (theme !== 'light' && !matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
