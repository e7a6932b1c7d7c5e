/** One way in which a Step file harms the process that it is in. */
export interface Way {
  readonly language: 'node' | 'python';
  /** While the file is loaded, or while its handler runs. */
  readonly when: 'load' | 'run';
  readonly name: string;
  /** Statements; `PORT` stands for a port that is taken. */
  readonly code: string;
  /** It does no harm for good: the file is served in the end. */
  readonly passes?: true;
}

const NODE_LOAD: Readonly<Record<string, string>> = {
  'process.exit(1)': 'process.exit(1);',
  'process.exit(0)': 'process.exit(0);',
  'reallyExit': 'process.reallyExit(3);',
  'abort': 'process.abort();',
  'kill -9 of itself': "process.kill(process.pid, 'SIGKILL'); for (;;);",
  'segmentation fault': "process.kill(process.pid, 'SIGSEGV'); for (;;);",
  'endless loop': 'for (;;);',
  'endless await': 'await new Promise(() => setInterval(() => 0, 1000));',
  'rejected promise': "void Promise.reject(new Error('left behind'));",
  'late rejection': "setTimeout(() => void Promise.reject(new Error('left behind')), 10);",
  'late throw': "setTimeout(() => { throw new Error('left behind'); }, 10);",
  'late exit': 'setTimeout(() => process.exit(1), 10);',
  'socket error': 'connect(1);',
  'port taken': 'createServer().listen(PORT, "127.0.0.1");',
  'heap exhausted': 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length));',
  'endless recursion': 'const deep = () => deep() + 1; deep();',
  'throw': "throw new Error('thrown');",
  'deleted while loading': "unlinkSync(fileURLToPath(import.meta.url.split('?')[0])); process.exit(1);",
};

const PYTHON_LOAD: Readonly<Record<string, string>> = {
  'os._exit(1)': 'os._exit(1)',
  'sys.exit(1)': 'sys.exit(1)',
  'abort': 'os.abort()',
  'kill -9 of itself': 'os.kill(os.getpid(), 9)',
  'segmentation fault': 'ctypes.string_at(0)',
  'endless loop': 'while True: pass',
  'endless wait': 'threading.Event().wait()',
  'lock of the interpreter kept': "re.match(r'(a+)+$', 'a' * 60 + 'b')",
  'error in a thread': "threading.Thread(target=lambda: 1 / 0).start()",
  'port taken': "socket.create_server(('127.0.0.1', PORT))",
  'memory exhausted': 'bytearray(10 ** 15)',
  'endless recursion': 'def deep(): return deep() + 1\ndeep()',
  'raise': "raise ValueError('raised')",
  'deleted while loading': 'os.remove(__file__); os._exit(1)',
};

const NODE_RUN: Readonly<Record<string, string>> = {
  'rejected promise': "void Promise.reject(new Error('left behind')); await new Promise((r) => setTimeout(r, 50));",
  'late throw': "setTimeout(() => { throw new Error('left behind'); }, 10);",
  'socket error': 'connect(1);',
  'process.exit(1)': 'process.exit(1);',
  'abort': 'process.abort();',
  'reallyExit': 'process.reallyExit(3);',
  'kill -9 of itself': "process.kill(process.pid, 'SIGKILL'); for (;;);",
  'heap exhausted': 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length));',
  'endless loop': 'for (;;);',
};

const PYTHON_RUN: Readonly<Record<string, string>> = {
  'error in a thread': 'threading.Thread(target=lambda: 1 / 0).start()',
  'sys.exit(1)': 'sys.exit(1)',
  'os._exit(1)': 'os._exit(1)',
  'abort': 'os.abort()',
  'kill -9 of itself': 'os.kill(os.getpid(), 9)',
  'segmentation fault': 'ctypes.string_at(0)',
  'endless loop': 'while True: pass',
};

/** Those that hold up a file and then let it pass. */
const PASSING: readonly Way[] = [
  { language: 'node', when: 'load', name: '5 s of work', code: 'for (const end = Date.now() + 5000; Date.now() < end;);', passes: true },
  { language: 'python', when: 'load', name: '5 s of work', code: 'time.sleep(5)', passes: true },
  { language: 'node', when: 'run', name: '5 s of work', code: 'for (const end = Date.now() + 5000; Date.now() < end;);', passes: true },
  { language: 'python', when: 'run', name: '5 s of work', code: 'time.sleep(5)', passes: true },
];

function waysOf(language: Way['language'], when: Way['when'], codes: Readonly<Record<string, string>>): readonly Way[] {
  // An error in a thread of Python ends that thread and nothing else.
  return Object.entries(codes).map(([name, code]) => ({ language, when, name, code, ...(name === 'error in a thread' && { passes: true }) }));
}

/** All ways, those of loading first. */
export const WAYS: readonly Way[] = [
  ...waysOf('node', 'load', NODE_LOAD), ...waysOf('python', 'load', PYTHON_LOAD), ...waysOf('node', 'run', NODE_RUN), ...waysOf('python', 'run', PYTHON_RUN),
  ...PASSING,
];
