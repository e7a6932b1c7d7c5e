// The hard limits of the style guide. Formatting is nobody's business here; sizes, promises and borders are.
import tseslint from 'typescript-eslint';

const sources = ['**/*.ts', '**/*.tsx', '**/*.mts'];
const tests = ['**/*.test.ts', '**/*.fixture.ts', 'test/**/*.ts'];
/** Programs: the only places that may end the process and write to the terminal. */
const programs = ['cli/**', 'core/engine/src/bin/**', 'core/engine/bin/**'];

/** One program for all packages: a program for each of them reads and checks what they share some thirty times. The page and the samples have settings of their own. */
const PROJECTS = ['./.tsconfig.lint.json', './console/app/tsconfig.json', './test/apps/*/tsconfig.json'];

const general = [
  { selector: 'ImportDeclaration[source.value=/\\.ts$/]', message: 'import the built name: ./x.js' },
  { selector: 'TSEnumDeclaration', message: 'use a union of string literals' },
];
/** Hooks of React that are only called sometimes. */
const HOOK = 'CallExpression[callee.name=/^use[A-Z]/]';
const PLACES = ['LogicalExpression > .right', 'ConditionalExpression > .consequent', 'ConditionalExpression > .alternate'];
const hooks = { selector: PLACES.flatMap((place) => [`${place}${HOOK}`, `${place} ${HOOK}`]).join(', '), message: 'call a hook at every rendering, and choose afterwards' };
/** Calls only: the in-process runtime has to put its own guard in the place of process.exit. */
const noExit = {
  selector: 'CallExpression[callee.object.name="process"][callee.property.name="exit"]',
  message: 'only cli/ and the program of core/engine may end the process',
};

export default [
  {
    ignores: [
      '**/node_modules/**', '**/dist/**', '**/app-dist/**', '**/coverage/**', '**/*.d.ts', '.nx/**',
      'test/fixtures/**', 'test/apps/**/data/**', 'test/bench/results/**',
      'cli/templates/**', 'cli/src/templates/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: sources,
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: PROJECTS, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false }],
      // The promises of node's own test runner are for those who wait for a single test.
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['describe', 'it', 'test', 'suite'] }] }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false, inheritedMethods: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx,mts,js,mjs,cjs}'],
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      'max-depth': ['error', 3],
      'no-else-return': ['error', { allowElseIf: false }],
      eqeqeq: ['error', 'always'],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-constant-binary-expression': 'error',
      'no-self-compare': 'error',
      'no-unreachable': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...general, noExit],
    },
  },
  // React counts the hooks of a component: each is called at every rendering.
  { files: ['**/*.tsx'], rules: { 'no-restricted-syntax': ['error', ...general, noExit, hooks] } },
  // Elements are laid out a line each.
  { files: ['**/*.tsx'], rules: { 'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }] } },
  { files: programs, rules: { 'no-console': 'off', 'no-restricted-syntax': ['error', ...general] } },
  { files: ['test/scripts/**', 'test/bench/**', 'test/journey/{run,record}.ts'], rules: { 'no-console': 'off' } },
  {
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // chai's `expect(x).to.be.true` reads as an unused expression elsewhere; promises are still watched.
      '@typescript-eslint/only-throw-error': 'off',
    },
  },
  {
    // One style. What shares a process with the user's code is hidden from it by `#`; all else is `private`.
    files: ['{cli,config,console,modules,plugins,test}/**/*.ts', 'core/{api,dispatch,engine,json,kernel,stream-client,testing}/**/*.ts'],
    ignores: [...programs, 'test/apps/**'],
    rules: { 'no-restricted-syntax': ['error', ...general, noExit, { selector: 'PrivateIdentifier', message: 'write private' }] },
  },
  {
    // Sample applications are user code: they compile on their own and follow the users' habits, not ours.
    files: ['test/apps/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
];
