/** What the argument parser says, and what we say; `$1` and so on are what it said in those places. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^Flag --(\S+) can only be specified once$/, 'option "--$1" is given twice'],
  [/^Flag --(\S+) expects a value$/, 'option "--$1" needs a value'],
  [/^Flag --(\S+) expects one of these values: (.*)$/, 'option "--$1" needs one of $2'],
  [/^Missing required flag (\S+)$/, 'option "--$1" is missing'],
  [/^Expected --([^\s=]+)=(.*) to be one of: (.*)$/s, 'option "--$1" must be one of $3, got "$2"'],
  [/^Expected (.*) to be one of: (.*)$/s, 'an argument must be one of $2, got "$1"'],
  [/^Parsing --(\S+) Expected an integer but received: (.*)$/s, 'option "--$1" needs a whole number, got "$2"'],
  [/^Parsing --(\S+) Expected an integer greater than or equal to (\S+) but received: (.*)$/s, 'option "--$1" needs a whole number of at least $2, got "$3"'],
  [/^Parsing --(\S+) Expected an integer less than or equal to (\S+) but received: (.*)$/s, 'option "--$1" needs a whole number of at most $2, got "$3"'],
  [/^Parsing --(\S+) Expected a valid url but received: (.*)$/s, 'option "--$1" needs a URL, got "$2"'],
  [/^--([^\s=]+)(?:=.*)? cannot also be provided when using --(\S+)$/s, 'options "--$2" and "--$1" exclude each other'],
  [/^All of the following must be provided when using --(\S+): --(.*)$/, 'option "--$1" needs "--$2" as well'],
];
/** Texts of the parser for which it has no class of its own. */
const OF_THE_PARSER = /^(Flag --\S+ (expects|can only)|(Parsing --\S+\s+)?Expected (an integer|a valid url))/;
/** Stands before one fault a line. */
const SEVERAL = /^The following errors? occurred/;

/** Whether a text is about arguments, whatever it was thrown as. */
export function isOfTheParser(message: string): boolean {
  return OF_THE_PARSER.test(message);
}

/** One line in our words, without the advice that our hint replaces. */
export function usageText(message: string): string {
  const lines = message.replace(/\u001b\[[0-9;]*m/g, '').split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('See more help'));
  const [head = '', ...faults] = lines;
  return SEVERAL.test(head) ? [...new Set(faults.map(inOurWords))].join('; ') : inOurWords(lines.join(' '));
}

function inOurWords(line: string): string {
  const text = line.replace(/\s+/g, ' ');
  const known = TEXTS.find(([pattern]) => pattern.test(text));
  return known ? text.replace(...known) : lowered(text.replace(/\.$/, ''));
}

/** With a small first letter, unless that begins an abbreviation. */
export function lowered(text: string): string {
  return /^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
