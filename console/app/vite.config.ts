import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { fixtureApi } from './fixtures/fixture-api.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** `vite` serves the page with the fixture API, `vite build` writes it to ../app-dist. Files find each other by their own place, and the server puts its base path into index.html. */
export default defineConfig(({ command }) => ({
  root: here, base: './',
  plugins: [react(), ...command === 'serve' ? [fixtureApi()] : []],
  build: {
    outDir: '../app-dist', emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, sourcemap: false, reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { host: '127.0.0.1', port: 5113, strictPort: true },
}));
