import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { tempApplication } from '../support/temp-folder.js';

/** Each line with `wrong` is one that the compiler has to find. */
const STEPS = `
import { http, step, streamed } from 'treadle';
import { z } from 'zod';
const triggers = [http('GET', '/a', { responseSchema: { 200: z.object({ id: z.string() }) } })] as const;
step({ name: 'A', triggers: [...triggers] }, async () => ({ status: 200, body: { id: 'x' } }));
step({ name: 'B', triggers: [...triggers] }, async () => ({ status: 200, body: { id: 7 } })); // wrong
step({ name: 'C', triggers: [...triggers] }, () => ({ status: 200 })); // wrong
step({ name: 'D', triggers: [http('GET', '/d')] }, () => ({ body: 1 })); // wrong
step({ name: 'E', triggers: [http('GET', '/e')] }, () => 'text'); // wrong
step({ name: 'F', triggers: [http('GET', '/f')] }, () => streamed((async function* () { yield 'x'; })()));
step({ name: 'G', triggers: [http('GET', '/g')] }, async function () { return (async function* () { yield 'x'; })(); });
`;
const WITH_DOM = `${STEPS}
step({ name: 'H', triggers: [http('GET', '/h')] }, () => new Response('x'));
step({ name: 'I', triggers: [http('GET', '/i')] }, async () => (await fetch('https://a.example')).body!);
step({ name: 'J', triggers: [http('GET', '/j')] }, () => new Blob(['x']));
`;

describe('types of an application that has none of Node.js', function () {
  this.timeout(120_000);

  for (const [what, text, lib] of [['no others', STEPS, []], ['those of browsers', WITH_DOM, ['lib.dom.d.ts', 'lib.dom.iterable.d.ts']]] as const) {
    it(`judge what handlers answer, with ${what}`, () => {
      const file = join(tempApplication({ 'steps/all.ts': text }), 'steps/all.ts');
      const program = ts.createProgram([file], {
        target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, lib: ['lib.es2023.d.ts', ...lib], types: [], strict: true, noEmit: true, skipLibCheck: true,
      });
      const found = ts.getPreEmitDiagnostics(program).map(({ file: at, start = 0 }) => at?.getLineAndCharacterOfPosition(start).line);
      const wrong = text.split('\n').flatMap((line, index) => (line.endsWith('// wrong') ? [index] : []));
      expect([...new Set(found)].map((line) => text.split('\n')[line ?? 0])).to.deep.equal(wrong.map((line) => text.split('\n')[line]));
    });
  }
});
