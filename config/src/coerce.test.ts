import { expect } from 'chai';
import { coerceText, type JsonType } from './coerce.js';

const types = (text: string): ReadonlySet<JsonType> => new Set(text === '' ? [] : text.split('|') as JsonType[]);

describe('coerceText', () => {
  const fitting: readonly [string, string, unknown][] = [
    ['3112', 'integer', 3112], ['0080', 'integer', 80], ['-5', 'integer', -5], ['+5', 'integer', 5],
    ['1.5', 'number', 1.5], ['1e3', 'number', 1000], ['.5', 'number', 0.5], ['5.', 'number', 5], ['7', 'number', 7],
    ['true', 'boolean', true], ['FALSE', 'boolean', false], ['True', 'boolean', true],
    ['0123', 'string', '0123'], ['true', 'string', 'true'], ['', 'string', ''],
    ['', 'null', null], ['~', 'null', null], ['null', 'null|string', 'null'],
    ['5', 'integer|string', 5], ['5x', 'integer|string', '5x'], ['0.5', 'integer|number', 0.5], ['true', 'boolean|string', true],
  ];
  for (const [text, wanted, value] of fitting) {
    it(`takes "${text}" as ${JSON.stringify(value)} where ${wanted} is asked for`, () => {
      expect(coerceText(text, types(wanted), true)).to.deep.equal({ value });
    });
  }

  const refused: readonly [string, string, string][] = [
    ['abc', 'integer', 'an integer'], ['', 'integer', 'an integer'], ['1.5', 'integer', 'an integer'], [' 5', 'integer', 'an integer'],
    ['9007199254740993', 'integer', 'an integer'], ['0x10', 'integer', 'an integer'],
    ['1e999', 'number', 'a number'], ['NaN', 'number', 'a number'], ['Infinity', 'number', 'a number'], ['.', 'number', 'a number'],
    ['yes', 'boolean', 'true or false'], ['1', 'boolean', 'true or false'], ['constructor', 'boolean', 'true or false'],
    ['x', 'null', 'null'], ['x', 'integer|boolean', 'an integer or true or false'],
    ['[1]', 'array', 'a list, which a variable cannot give'], ['{}', 'object', 'a map, which a variable cannot give'],
  ];
  for (const [text, wanted, must] of refused) {
    it(`refuses "${text}" where ${wanted} is asked for`, () => {
      expect(coerceText(text, types(wanted), true)).to.deep.equal({ must });
    });
  }

  it('reads as YAML does where nothing is asked for, unless quoted', () => {
    expect(coerceText('5', types(''), true)).to.deep.equal({ value: 5 });
    expect(coerceText('5', types(''), false)).to.deep.equal({ value: '5' });
  });
});
