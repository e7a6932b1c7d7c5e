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
    outDir: '../app-dist', emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, sourcemap: false, cssCodeSplit: false, reportCompressedSize: false,
    // What all views share is one file, and so are their styles: small files compress badly, three times each.
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: [{ name: 'parts', test: /\/app\/src\/(?:api|format|keys|live|parts|theme|url)\// }] } } },
  },
  server: { host: '127.0.0.1', port: 5113, strictPort: true },
}));
