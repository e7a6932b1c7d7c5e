import { readFile } from 'node:fs/promises';
import { extname, relative, sep } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

const IN_MODULE = /\bimport\.meta\.(?:url|dirname|filename)\b/;
const IN_COMMONJS = /\b__(?:dirname|filename)\b/;
const MODULE_SYNTAX = /\bimport\.meta\b|^\s*(?:import|export)\b/m;
/** Stands for the URL of the application's root until it is known in which file of the build the code lies. */
const ROOT = '__TREADLE_ROOT__';
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.tsx': 'tsx' };

/**
 * Keeps the meaning of `import.meta.url` and its like: the place of the source, relative to the folder above the build.
 * Files that a Step reads from beside itself are found there, when they are deployed.
 */
export function sourcePlaces(root: string): Plugin {
  return {
    name: 'treadle-source-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const contents = withPlace(text, relative(root, path).split(sep).join('/'));
        return contents === undefined ? undefined : { contents, loader: LOADERS[extname(path)] ?? 'js' };
      });
    },
  };
}

/** The text of a file of the build, now that its place is known; `file` is relative to the build. */
export function withRoot(text: string, file: string): string {
  return text.replaceAll(ROOT, `new URL(${JSON.stringify('../'.repeat(file.split('/').length))}, import.meta.url)`);
}

/** What is added stays on the first line, so that all lines keep their numbers. */
function withPlace(text: string, file: string): string | undefined {
  const url = `new URL(${JSON.stringify(file.split('/').map(encodeURIComponent).join('/'))}, ${ROOT})`;
  if (IN_MODULE.test(text)) return inModule(text, url);
  if (!IN_COMMONJS.test(text) || MODULE_SYNTAX.test(text)) return undefined;
  const path = `require('node:url').fileURLToPath`;
  return `var __filename = ${path}(${url}), __dirname = require('node:path').dirname(__filename); ${text}`;
}

function inModule(text: string, url: string): string {
  const placed = text.replace(/\bimport\.meta\.url\b/g, `(${url}.href)`)
    .replace(/\bimport\.meta\.filename\b/g, `__treadlePath(${url})`)
    .replace(/\bimport\.meta\.dirname\b/g, `__treadlePath(new URL('.', ${url})).replace(/(.)[\\\\/]$/, '$1')`);
  return placed.includes('__treadlePath') ? `import { fileURLToPath as __treadlePath } from 'node:url'; ${placed}` : placed;
}
