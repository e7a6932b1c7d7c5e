// What a compiled file says of its own place, made true in the bundle.
import ts from 'typescript';

/**
 * The text of a file with `require('x')`, which the bundler follows, in the place of `createRequire(import.meta.url)('x')` (also by way of
 * a constant) for the names in `needed`, and with `place` in that of every other `import.meta.url`. A file that names one of the
 * `programs` keeps its own: in the bundle they lie beside it.
 * @param {string} text JavaScript
 * @param {{ needed: readonly string[], programs: readonly string[], place: string }} options
 */
export function placedText(text, { needed, programs, place }) {
  const file = ts.createSourceFile('compiled.js', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const nodes = nodesOf(file);
  const loaders = loadersOf(file);
  const callees = nodes.filter((node) => isLoaderCall(node, loaders) && needed.includes(node.arguments[0].text)).map((call) => call.expression);
  const isStarter = nodes.some((node) => ts.isStringLiteral(node) && programs.includes(node.text));
  const isReplaced = (node) => callees.some((callee) => callee.pos <= node.pos && node.end <= callee.end);
  const urls = isStarter ? [] : nodes.filter((node) => isOwnUrl(node) && !isReplaced(node));
  return replaced(text, [...callees.map((node) => [node, 'require']), ...urls.map((node) => [node, place])]);
}

/** A node and all within it. */
function nodesOf(node) {
  const found = [node];
  ts.forEachChild(node, (child) => void found.push(...nodesOf(child)));
  return found;
}

/** Names of the file's constants that are `createRequire(import.meta.url)`. */
function loadersOf(file) {
  const declared = file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations);
  return declared.filter(({ name, initializer }) => ts.isIdentifier(name) && initializer && isOwnRequire(initializer)).map(({ name }) => name.text);
}

/** `load('x')` or `createRequire(import.meta.url)('x')`. */
function isLoaderCall(node, loaders) {
  if (!ts.isCallExpression(node) || node.arguments.length !== 1 || !ts.isStringLiteral(node.arguments[0])) return false;
  return isOwnRequire(node.expression) || (ts.isIdentifier(node.expression) && loaders.includes(node.expression.text));
}

/** `createRequire(import.meta.url)` */
function isOwnRequire(node) {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'createRequire' && node.arguments.length === 1 && isOwnUrl(node.arguments[0]);
}

/** `import.meta.url` */
function isOwnUrl(node) {
  return ts.isPropertyAccessExpression(node) && node.name.text === 'url' && ts.isMetaProperty(node.expression);
}

/** From the end to the start, so that the places before stay. */
function replaced(text, edits) {
  const ordered = edits.sort(([one], [other]) => other.getStart() - one.getStart());
  return ordered.reduce((changed, [node, instead]) => changed.slice(0, node.getStart()) + instead + changed.slice(node.end), text);
}
