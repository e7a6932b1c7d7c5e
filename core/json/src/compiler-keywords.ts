import { multipleOf } from '@treadle/api';
import { duplicatesOf } from './unique-items.js';
import { sameJson } from './same-json.js';
import { meter } from './work-meter.js';

/** A piece of generated code; made by the template tag `_` of ajv. */
type Code = object;
type Tag = (texts: TemplateStringsArray, ...parts: readonly unknown[]) => Code;

/** What ajv hands to a keyword that writes its code; only what is used of it. */
export interface KeywordContext {
  readonly data: Code;
  readonly schema: unknown;
  readonly gen: {
    const(name: string, value: Code): Code;
    scopeValue(kind: string, value: { ref: unknown }): Code;
    if(condition: Code, body: () => void): void;
    forIn(name: string, object: Code, body: () => void): void;
    code(code: Code): void;
  };
  readonly it: { readonly compositeRule?: boolean };
  result(condition: Code, fits?: () => void, fails?: () => void): void;
  setParams(params: Readonly<Record<string, Code>>): void;
  pass(condition: Code): void;
  fail(condition: Code): void;
  error(...details: readonly unknown[]): void;
  subschema(part: Readonly<Record<string, unknown>>, valid: Code): unknown;
}

type WriteCode = (context: KeywordContext, type?: string) => void;

/** A compiler whose keywords can be changed. */
export interface KeywordTable {
  readonly RULES: { readonly all: Readonly<Record<string, { readonly definition: { code?: WriteCode } } | boolean | undefined>> };
}

/** What calling the function of a referenced schema costs. */
const REFERENCE_COST = 12;
/** What trying an option of a union costs, or an item that something else is looked for among. */
const OPTION_COST = 4;
/** What a finding costs when all are collected. */
const FINDING_COST = 10;
/** Lists this long are searched by hash. */
const LONG_ENUM = 8;
const UNIONS = ['anyOf', 'oneOf', 'contains'] as const;
/** Keywords whose schema is a list or a table that is gone through for each value. */
const LISTS = ['properties', 'required', 'prefixItems', 'dependentRequired', 'dependentSchemas'] as const;
const LOOPS_OF_ARRAYS = ['items', 'contains'] as const;
const LOOPS_OF_OBJECTS = ['additionalProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'] as const;

/**
 * Changes the keywords of a compiler so that no value costs it more than its size: equal items are found by sorting and
 * hashing, values are compared without calling what they bring along, and while `isMetered` every reference, loop and
 * option is charged to the meter, because a schema that refers to itself can cost 2 to the power of a value's depth.
 */
export class CompilerKeywords {
  /** Whether what is compiled now can cost much more than the size of a value. */
  isMetered = false;

  /** `collects`: the compiler's functions collect all findings. */
  constructor(private readonly compiler: KeywordTable, private readonly tag: Tag, collects: boolean) {
    this.replace('uniqueItems', (context) => this.uniqueItems(context));
    this.replace('enum', this.enum);
    this.replace('const', this.const);
    this.replace('multipleOf', this.multipleOf);
    this.before('$ref', (context) => this.charge(context, this.code`${REFERENCE_COST}`));
    this.before('$dynamicRef', (context) => this.charge(context, this.code`${REFERENCE_COST}`));
    if (!collects) this.before('$ref', (context) => this.withoutInnerFindings(context));
    for (const keyword of LOOPS_OF_ARRAYS) this.before(keyword, (context) => this.charge(context, this.code`${context.data}.length`));
    for (const keyword of LOOPS_OF_OBJECTS) this.before(keyword, (context) => this.chargeMembers(context));
    for (const keyword of LISTS) this.before(keyword, (context) => this.charge(context, this.code`${Object.keys(context.schema as object).length}`));
    for (const keyword of UNIONS) this.before(keyword, (context) => (collects ? this.chargeOptions(context) : this.withoutFindings(context)));
    if (!collects) this.before('not', (context) => this.withoutFindings(context));
    this.before('allOf', (context) => this.chargeParts(context));
    if (collects) for (const keyword of Object.keys(compiler.RULES.all)) this.chargeFindings(keyword);
  }

  private code(texts: TemplateStringsArray, ...parts: readonly unknown[]): Code {
    return this.tag(texts, ...parts);
  }

  private charge({ gen }: KeywordContext, units: Code): void {
    if (!this.isMetered) return;
    const counter = gen.scopeValue('obj', { ref: meter });
    gen.if(this.code`(${counter}.left -= ${units}) < 0`, () => gen.code(this.code`throw ${counter}.signal`));
  }

  private chargeMembers(context: KeywordContext): void {
    // Superfluous members are refused at the first one.
    if (typeof context.schema === 'boolean') return;
    if (this.isMetered) context.gen.forIn('member', context.data, () => this.charge(context, this.code`1`));
  }

  /** Parts after one that does not fit are not looked at. */
  private chargeParts(context: KeywordContext): void {
    const subschema = context.subschema.bind(context);
    context.subschema = (part, valid) => {
      this.charge(context, this.code`1`);
      return subschema(part, valid);
    };
  }

  /** Each option, and each item that something else than it is looked for among, may leave a finding. */
  private chargeOptions(context: KeywordContext): void {
    const { schema, data } = context;
    this.charge(context, Array.isArray(schema) ? this.code`${schema.length * FINDING_COST}` : this.code`(Array.isArray(${data}) ? ${data}.length : 1) * ${FINDING_COST}`);
  }

  /**
   * What single options find matters to nobody when only the first finding is asked for. Not to write it makes a union ten times as fast, and
   * to forget after each option that there was something keeps millions of them from filling the memory.
   */
  private withoutFindings(context: KeywordContext): void {
    const subschema = context.subschema.bind(context);
    context.subschema = (part, valid) => {
      this.charge(context, this.code`${OPTION_COST}`);
      const before = context.gen.const('before', this.code`errors`);
      const option = subschema({ ...part, createErrors: false }, valid);
      context.gen.code(this.code`if (errors > ${before}) { errors = ${before}; if (${before} === 0) vErrors = null; else vErrors.length = ${before}; }`);
      return option;
    };
  }

  private chargeFindings(keyword: string): void {
    const rule = this.compiler.RULES.all[keyword];
    // Some stand beside another keyword and have no code of their own.
    if (typeof rule !== 'object' || typeof rule.definition.code !== 'function') return;
    this.before(keyword, (context) => {
      const error = context.error.bind(context);
      context.error = (...details) => {
        this.charge(context, this.code`${FINDING_COST}`);
        error(...details);
      };
    });
  }

  private uniqueItems(context: KeywordContext): void {
    const { gen, data, schema } = context;
    if (schema !== true) return;
    const found = gen.const('duplicates', this.code`${gen.scopeValue('func', { ref: duplicatesOf })}(${data})`);
    context.setParams({ i: this.code`${found}.second`, j: this.code`${found}.first` });
    context.fail(this.code`${found} !== undefined`);
  }

  /** An option of a union that is a reference would hand on what each option within it has found: 2 to the power of the depth. */
  private withoutInnerFindings(context: KeywordContext): void {
    if (context.it.compositeRule !== true) return;
    const result = context.result.bind(context);
    const note = this.code`if (vErrors === null) vErrors = [{}]; else vErrors.push({}); errors++;`;
    context.result = (condition, fits) => result(condition, fits, () => context.gen.code(note));
  }

  private readonly enum = (context: KeywordContext, original: WriteCode): void => {
    const { gen, data, schema } = context;
    if (!Array.isArray(schema) || (schema.length < LONG_ENUM && !schema.some(isContainer))) return original(context);
    context.pass(this.code`${gen.scopeValue('func', { ref: memberTest(schema) })}(${data})`);
  };

  private readonly const = (context: KeywordContext, original: WriteCode): void => {
    const { gen, data, schema } = context;
    if (!isContainer(schema)) return original(context);
    context.pass(this.code`${gen.scopeValue('func', { ref: memberTest([schema]) })}(${data})`);
  };

  private readonly multipleOf = (context: KeywordContext): void => {
    context.pass(this.code`${context.gen.scopeValue('func', { ref: multipleOf(context.schema as number) })}(${context.data})`);
  };

  private before(keyword: string, write: WriteCode): void {
    this.replace(keyword, (context, original, type) => {
      write(context);
      original(context, type);
    });
  }

  private replace(keyword: string, write: (context: KeywordContext, original: WriteCode, type?: string) => void): void {
    const rule = this.compiler.RULES.all[keyword];
    const definition = typeof rule === 'object' ? rule.definition : {};
    const original = definition.code;
    if (!original) throw new Error(`ajv has no keyword ${keyword}`);
    definition.code = (context, type) => write(context, original, type);
  }
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Whether a value is one of a schema's. */
function memberTest(members: readonly unknown[]): (value: unknown) => boolean {
  const plain = new Set(members.filter((member) => !isContainer(member)));
  const containers = members.filter(isContainer);
  return (value) => plain.has(value) || (isContainer(value) && containers.some((member) => sameJson(value, member)));
}
