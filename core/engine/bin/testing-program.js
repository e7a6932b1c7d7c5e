// The engine for tests in another process, Python's above all: commands are read from the standard input, answers written to the standard output.
// Written so that old versions of Node.js can read it, too: what they lack begins with the import.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major === 20 ? minor >= 19 : major === 22 ? minor >= 2 : major > 22) {
  import('./testing-remote.js');
} else {
  process.stderr.write('treadle.testing needs Node.js 20.19, 22.2 or newer; this is ' + process.versions.node + ' (' + process.execPath + '). Newer ones: https://nodejs.org\n');
  process.exitCode = 69;
}
