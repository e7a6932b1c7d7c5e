import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { LANGUAGES, TEMPLATES } from './choices.js';
import { Prompt } from './prompt.js';

describe('the questions of create', () => {
  let input: PassThrough;
  let shown: string;
  let prompt: Prompt;
  beforeEach(() => {
    input = new PassThrough();
    const output = new PassThrough();
    shown = '';
    output.on('data', (chunk: Buffer) => { shown += chunk.toString('utf8'); });
    prompt = new Prompt(input, output);
  });
  afterEach(() => prompt.close());

  /** Types each answer once the question before it has been asked. */
  async function answering<T>(answers: readonly string[], question: Promise<T>): Promise<T> {
    for (const answer of answers) {
      await new Promise((resolve) => setImmediate(resolve));
      input.write(`${answer}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return question;
  }

  it('repeat a text until there is nothing to object', async () => {
    const text = prompt.text('Project name:', (answer) => (answer === 'good' ? undefined : `not "${answer}"`));
    expect(await answering(['bad', ' good '], text)).to.equal('good');
    expect(shown).to.equal('Project name:   not "bad"\nProject name: ');
  });

  for (const [answer, id] of [['', 'ts'], ['1', 'ts'], ['2', 'js'], ['py', 'py'], ['Python', 'py'], [' JS ', 'js']] as const) {
    it(`take "${answer}" as ${id}`, async () => {
      expect(await answering([answer], prompt.choose('Language', LANGUAGES))).to.equal(id);
      expect(shown).to.equal('Language\n  1) TypeScript\n  2) JavaScript\n  3) Python\n1-3 [ts]: ');
    });
  }

  it('say what is no answer and ask again', async () => {
    expect(await answering(['4', 'cobol', '3'], prompt.choose('Template', TEMPLATES))).to.equal('full-stack');
    expect(shown.split('answer with 1 to 3\n')).to.have.length(3);
  });

  it('end when the input ends', async () => {
    const text = prompt.text('Project name:', () => 'never');
    input.end();
    expect((await text.catch((error: unknown) => error) as Error).message).to.equal('cancelled');
  });

  it('end after five useless answers', async () => {
    const text = prompt.text('Project name:', () => 'never').catch((error: unknown) => error);
    expect((await answering(['1', '2', '3', '4', '5'], text) as Error).message).to.equal('no usable answer');
  });
});
