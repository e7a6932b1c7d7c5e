import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './workspace.js';

interface Locked { readonly dev?: boolean; readonly optional?: boolean; readonly link?: boolean }

describe('what "npm start" installs in a fresh clone', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, Locked>> };
  const installed = Object.entries(packages).filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link).map(([path]) => path.slice('node_modules/'.length));

  it('builds and runs the sample application', () => {
    expect(installed).to.include.members(['typescript', 'esbuild', '@types/node', 'zod', 'koa', 'ws']);
  });

  it('is not what tests, releases and benchmarks use', () => {
    for (const name of ['mocha', 'eslint', 'lerna', 'verdaccio', 'happy-dom', 'react', 'sqlite3', 'better-sqlite3']) expect(installed, name).not.to.include(name);
    expect(installed.length).to.be.below(400);
  });
});
