// tsx compiles the tests as they are loaded; decorators need the compiler options of the packages.
process.env.TSX_TSCONFIG_PATH ??= `${__dirname}/test/tsconfig.tsx.json`;

module.exports = {
  'node-option': ['import=tsx'],
  ignore: ['**/node_modules/**', 'test/apps/**', 'test/fixtures/**'],
  reporter: `${__dirname}/test/scripts/reporter.cjs`,
  'forbid-only': true,
  // Against what hangs: a machine that is slow, and does other things as well, needs several times as long as usual.
  timeout: 180000,
};
