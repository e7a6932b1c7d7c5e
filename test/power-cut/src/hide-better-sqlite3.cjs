// Makes better-sqlite3 look as if it were not installed, so that the engine takes the next driver.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveOthers(request, ...rest) {
  if (request.startsWith('better-sqlite3')) throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
  return resolve.call(this, request, ...rest);
};
