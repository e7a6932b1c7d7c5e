import type ts from 'typescript';
import { objectIn } from './objects.js';
import { CONFIG_TYPES } from './names.js';
import type { ScriptText } from './script-text.js';

const STEP_FILE = /(?:\.|_)step\.[cm]?[jt]s$/;
const STREAM_FILE = /(?:\.|_)stream\.[cm]?[jt]s$/;
const CONFIG_NAME = /^(?:config|stepConfig|streamConfig)$/;

/** A config as it is written, with the declaration around it. */
export interface FoundConfig {
  readonly sort: 'step' | 'stream';
  readonly object: ts.ObjectLiteralExpression;
  /** `export const config: Type = …`, where it is written so. */
  readonly declaration?: ts.VariableDeclaration | undefined;
}

/** Whether the name of a file says that it declares a Step. */
export function isStepFile(name: string): boolean {
  return STEP_FILE.test(name);
}

/** The configs of Steps and streams that a file holds. */
export function findConfigs(script: ScriptText): readonly FoundConfig[] {
  const { ts } = script;
  const found: FoundConfig[] = [];
  const add = (object: ts.ObjectLiteralExpression | undefined, declaration?: ts.VariableDeclaration): void => {
    if (object === undefined || found.some((one) => one.object === object)) return;
    const isStream = STREAM_FILE.test(script.name) || typeName(script, declaration) === 'StreamConfig';
    found.push({ sort: isStream ? 'stream' : 'step', object, declaration });
  };
  const inConfigFile = isStepFile(script.name) || STREAM_FILE.test(script.name);
  for (const declaration of script.all(ts.isVariableDeclaration)) {
    const type = typeName(script, declaration) ?? '';
    const named = ts.isIdentifier(declaration.name) && CONFIG_NAME.test(declaration.name.text);
    if ((inConfigFile && named) || CONFIG_TYPES.has(type) || type === 'StreamConfig') add(objectIn(ts, declaration.initializer), declaration);
  }
  if (!inConfigFile) return found;
  for (const { left, right } of script.all(ts.isBinaryExpression)) if (/^(?:module\.)?exports\.config$/.test(script.textOf(left))) add(objectIn(ts, right));
  for (const call of script.all(ts.isCallExpression)) if (script.textOf(call.expression) === 'step') add(objectIn(ts, call.arguments[0]));
  return found;
}

/** Name of the type that a declaration is annotated with, or that its value satisfies. */
function typeName({ ts }: ScriptText, declaration: ts.VariableDeclaration | undefined): string | undefined {
  const satisfied = declaration?.initializer && ts.isSatisfiesExpression(declaration.initializer) ? declaration.initializer.type : undefined;
  const type = declaration?.type ?? satisfied;
  return type && ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) ? type.typeName.text : undefined;
}
