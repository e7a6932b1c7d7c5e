import type { Way } from './ways.js';

const NODE_IMPORTS = "import { connect, createServer } from 'node:net'; import { unlinkSync } from 'node:fs'; import { fileURLToPath } from 'node:url';";
/** A little longer than a blocked process is given; milliseconds. */
const HANDLER_MS = 18_000;
/** How long a request is under way that may not be repeated; milliseconds. */
const POST_MS = 200;
const PYTHON_IMPORTS = 'import ctypes, os, re, socket, sys, threading, time';

/** The file that misbehaves: where it is, and what it holds. */
export function badFile({ language, when, code }: Way, port: number): { readonly file: string; readonly text: string } {
  const text = code.replaceAll('PORT', String(port));
  return language === 'node' ? { file: 'steps/bad.step.js', text: nodeStep('Bad', when, text) } : { file: 'steps/bad_step.py', text: pythonStep('Bad', when, text) };
}

/** Files that behave, of each language one that is asked by GET and one that takes its time for each POST. */
export const GOOD_FILES: Readonly<Record<string, string>> = {
  'steps/aa.step.js': nodeStep('GoodNode', 'run', ''),
  'steps/zz_step.py': pythonStep('GoodPython', 'run', ''),
  'steps/post.step.js': nodeStep('PostNode', 'run', `await new Promise((done) => setTimeout(done, ${POST_MS}));`, 'POST'),
  'steps/post_step.py': pythonStep('PostPython', 'run', `time.sleep(${POST_MS / 1000})`, 'POST'),
};

function nodeStep(name: string, when: Way['when'], code: string, method = 'GET'): string {
  const [load, run] = when === 'load' ? [code, ''] : ['', code];
  return `${NODE_IMPORTS}\nexport const config = { name: '${name}', triggers: [{ type: 'http', method: '${method}', path: '/${name}', timeoutMs: ${HANDLER_MS} }] };\n`
    + `export const handler = async () => { ${run} return { status: 200, body: '${name}' }; };\n${load}\n`;
}

function pythonStep(name: string, when: Way['when'], code: string, method = 'GET'): string {
  const [load, run] = when === 'load' ? [code, ''] : ['', code];
  return `${PYTHON_IMPORTS}\nconfig = {"name": "${name}", "triggers": [{"type": "http", "method": "${method}", "path": "/${name}", "timeoutMs": ${HANDLER_MS}}]}\n`
    + `def handler(input, ctx):\n    ${run || 'pass'}\n    return {"status": 200, "body": "${name}"}\n${load}\n`;
}
