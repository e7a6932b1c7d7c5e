#!/usr/bin/env node
/* eslint-disable no-var */
// Written so that old versions of Node.js can read it, too: what they lack begins with the import.
var version = process.versions.node.split('.').map(Number);
var major = version[0];
var minor = version[1];

if (major === 20 ? minor >= 19 : major === 22 ? minor >= 2 : major > 22) {
  import('./launch.js');
} else {
  process.stderr.write('treadle needs Node.js 20.19, 22.2 or newer; this is ' + process.versions.node + ' (' + process.execPath + '). Newer ones: https://nodejs.org\n');
  process.exitCode = 69;
}
