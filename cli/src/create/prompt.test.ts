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

  const [UP, DOWN, ENTER, BACK] = ['\u001b[A', '\u001b[B', '\r', '\u007f'];

  /** Presses keys, each by itself, once the question has been asked. */
  async function pressing<T>(keys: readonly string[], question: Promise<T>): Promise<T> {
    for (const key of keys) {
      await new Promise((resolve) => setImmediate(resolve));
      input.write(key);
    }
    return question;
  }

  for (const [what, keys, id] of [
    ['Enter', [], 'ts'], ['a number', ['2'], 'js'], ['an id', ['p', 'y'], 'py'], ['a name', [...'python'], 'py'],
    ['the beginning of a name', ['j'], 'js'], ['arrow down', [DOWN], 'js'], ['arrow up, around the end', [UP], 'py'],
    ['arrows both ways', [DOWN, DOWN, UP], 'js'], ['the last of two ids', ['j', 's', 't', 's'], 'ts'], ['an id after a slip', ['x', 'p', 'y'], 'py'],
    ['what is left after backspace', ['2', BACK, '3'], 'py'], ['keys that name nothing', ['4', 'x'], 'ts'], ['capital letters', ['J', 'S'], 'js'],
  ] as const) {
    it(`take ${what} for ${id}`, async () => {
      expect(await pressing([...keys, ENTER], prompt.choose('Language', LANGUAGES))).to.equal(id);
    });
  }

  it('show the choices, and mark the one that Enter takes', async () => {
    const chosen = pressing([DOWN, ENTER], prompt.choose('Template', TEMPLATES));
    expect(await chosen).to.equal('api');
    expect(shown.replaceAll(/\u001b\[\w+/g, '')).to.match(/^Template .*\n❯ 1\) basic.*\n  2\) api.*\n  3\) full-stack.*\n  1\) basic.*\n❯ 2\) api/);
  });

  for (const key of ['\u0003', '\u0004']) {
    it(`end at Ctrl-${key === '\u0003' ? 'C' : 'D'}`, async () => {
      const cancelled = prompt.choose('Language', LANGUAGES).catch((error: unknown) => error);
      expect((await pressing([DOWN, key], cancelled) as Error).message).to.equal('cancelled');
    });
  }

  it('hand the keys on from one question to the next', async () => {
    expect(await answering(['my-app'], prompt.text('Project name:', () => undefined))).to.equal('my-app');
    expect(await pressing([DOWN, ENTER], prompt.choose('Language', LANGUAGES))).to.equal('js');
    expect(await pressing([UP, ENTER], prompt.choose('Template', TEMPLATES))).to.equal('full-stack');
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
