import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { expect } from 'chai';
import { errorOf } from './error-of.js';
import { ServerProcess, type ServerProgram } from './server-process.js';

const LISTEN = "require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1')";
const END = "console.log('the port is taken'); process.exitCode = 3";

/** A server whose launches run these scripts, one after the other, and the last one from then on. */
function serverOf(...scripts: readonly string[]): ServerProgram & { readonly ports: number[] } {
  const ports: number[] = [];
  return {
    name: 'Echo', ports,
    launch: (port) => {
      ports.push(port);
      return spawn(process.execPath, ['-e', scripts[ports.length - 1] ?? scripts.at(-1) ?? '', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
    },
    url: (port) => `tcp://127.0.0.1:${port}`,
    answers: (url) => new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => { socket.destroy(); resolve(true); });
      socket.once('error', () => resolve(false));
    }),
  };
}

describe('ServerProcess', () => {
  it('starts one that has ended before it answered on another port', async () => {
    const program = serverOf(END, LISTEN);
    const server = await ServerProcess.start(program);
    await server.stop();
    expect(program.ports).to.have.length(2);
    expect(server.port).to.equal(program.ports[1]);
  });

  it('says how one that never comes up has ended, and what it printed', async () => {
    const program = serverOf(END);
    const error = await errorOf(() => ServerProcess.start(program));
    expect((error as Error).message).to.equal('Echo ended with 3 before it answered\nthe port is taken\n');
    expect(program.ports).to.have.length(3);
  });
});
