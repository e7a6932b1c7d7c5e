import { readFile } from 'node:fs/promises';
import { extname, relative, sep } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

const IN_MODULE = /\bimport\s*\.\s*meta\b/;
const IN_COMMONJS = /\b__(?:dirname|filename)\b/;
const MODULE_SYNTAX = /^\s*(?:import|export)\b/m;
const COMMONJS_SYNTAX = /\b(?:require|module|exports)\b/;
/** Stands for the URL of the application's root until it is known in which file of the build the code lies. */
const ROOT = '__TREADLE_ROOT__';
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.tsx': 'tsx' };

/** What esbuild writes in the place of these, where they are code; each file that may have them declares the names. */
const NAMES = { 'import.meta.url': '__treadleUrl', 'import.meta.filename': '__treadleFilename', 'import.meta.dirname': '__treadleDirname' } as const;

/**
 * Keeps the meaning of `import.meta.url` and its like: the place of the source, relative to the folder above the build.
 * Files that a Step reads from beside itself are found there, when they are deployed.
 */
export function sourcePlaces(root: string): Plugin {
  return {
    name: 'treadle-source-places',
    setup({ initialOptions, onLoad }) {
      initialOptions.define = { ...initialOptions.define, ...NAMES };
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
  if (!isCommonJs(file, text)) return IN_MODULE.test(text) ? `${inModule(text, url)} ${text}` : undefined;
  if (!IN_COMMONJS.test(text)) return undefined;
  const path = `require('node:url').fileURLToPath`;
  return `var __filename = ${path}(${url}), __dirname = require('node:path').dirname(__filename); ${text}`;
}

function isCommonJs(file: string, text: string): boolean {
  if (/\.[cm][jt]s$/.test(file)) return /\.c[jt]s$/.test(file);
  return !MODULE_SYNTAX.test(text) && (COMMONJS_SYNTAX.test(text) || !IN_MODULE.test(text));
}

/** Declares what the text may use. */
function inModule(text: string, url: string): string {
  const path = /\b(?:filename|dirname)\b/.test(text);
  const own = `var ${NAMES['import.meta.url']} = ${url}.href;`;
  if (!path) return own;
  return `import { fileURLToPath as __treadlePath } from 'node:url'; import { dirname as __treadleFolder } from 'node:path'; ${own} `
    + `var ${NAMES['import.meta.filename']} = __treadlePath(${NAMES['import.meta.url']}), ${NAMES['import.meta.dirname']} = __treadleFolder(${NAMES['import.meta.filename']});`;
}
