import { expect } from 'chai';
import { isOfTheParser, usageText } from './usage-text.js';

describe('usageText', () => {
  for (const [said, ours] of [
    ['Parsing --url \n\tExpected a valid url but received: x y\nSee more help with --help', 'option "--url" needs a URL, got "x y"'],
    ['Expected blue to be one of: red, green\nSee more help with --help', 'an argument must be one of red, green, got "blue"'],
    ['The following error occurred:\n  \u001b[2mMissing required flag file\u001b[22m\nSee more help with --help', 'option "--file" is missing'],
    ['The following errors occurred:\n  --b=1 cannot also be provided when using --a\n  All of the following must be provided when using --c: --d\n  --b=1 cannot also be provided when using --a',
      'options "--a" and "--b" exclude each other; option "--c" needs "--d" as well'],
    ['Something else went\n  wrong.', 'something else went wrong'],
    ['JSON is wanted.', 'JSON is wanted'],
  ] as const) {
    it(`says ${ours}`, () => expect(usageText(said)).to.equal(ours));
  }

  it('knows what the parser throws without a class of its own', () => {
    expect(isOfTheParser('Parsing --limit \n\tExpected an integer but received: x')).to.equal(true);
    expect(isOfTheParser('Flag --config expects a value')).to.equal(true);
    expect(isOfTheParser('The store is full')).to.equal(false);
  });
});
