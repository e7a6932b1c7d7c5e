import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { ROOT } from '../architecture/workspace.js';
import { NODE_VERSIONS, nodeOfVersion } from '../support/node-binaries.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder } from '../support/temp-folder.js';

const PROGRAMS = { treadle: 'core/steps/bin/treadle.js', 'treadle-cli': 'cli/bin/run.js', 'treadle-engine': 'core/engine/bin/treadle-engine.js' };
const COMMANDS = [['check'], ['doctor'], ['dev'], ['--help'], ['--version'], ['create', 'my-app']];

describe('a Node.js that is too old', function () {
  this.timeout(200_000);

  for (const [name, path] of Object.entries(PROGRAMS)) {
    it(`is named by ${name} in one line, whatever the command`, function () {
      const node = nodeOfVersion(NODE_VERSIONS[18]);
      requireOrSkip(this, node !== undefined, 'Node.js 18');
      for (const command of COMMANDS) {
        const { status, stdout, stderr } = spawnSync(node as string, [join(ROOT, path), ...command], { cwd: tempFolder(), encoding: 'utf8' });
        expect({ status, stdout }, command.join(' ')).to.deep.equal({ status: 69, stdout: '' });
        expect(stderr).to.match(/^treadle(-engine)? needs Node\.js 20\.19, 22\.2 or newer; this is 18\.20\.8 \(.+\)\. Newer ones: https:\/\/nodejs\.org\n$/);
      }
    });

    it(`can read ${name} up to that line: no import before it, no syntax that is younger than 2019`, () => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
      expect(source.statements.filter((statement) => ts.isImportDeclaration(statement)).length).to.equal(0);
      const { outputText } = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES5, module: ts.ModuleKind.ESNext } });
      expect(withoutComments(outputText)).to.equal(withoutComments(text));
    });
  }
});

/** What is left is code alone, however it is laid out. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\/[/*].*$|^#!.*$|^"use strict";$/gm, '').replaceAll(/\s+/g, '');
}
