// tsx compiles the tests as they are loaded; decorators need the compiler options of the packages.
process.env.TSX_TSCONFIG_PATH ??= `${__dirname}/test/tsconfig.tsx.json`;

module.exports = {
  'node-option': ['import=tsx'],
  ignore: ['**/node_modules/**', 'test/apps/**', 'test/fixtures/**'],
  reporter: `${__dirname}/test/scripts/reporter.cjs`,
  'forbid-only': true,
  timeout: 20000,
  // Real processes on a busy machine: one unlucky moment is told at the end of the run (reporter), two fail it.
  retries: process.env.CI === 'true' ? 1 : 0,
};
