import { type Environment, nearestClass, treadleError, type SourceLocation } from '@treadle/api';
import { foreignClass } from '@treadle/config';
import type { InstalledClasses } from '../plugins/installed-classes.js';
import type { RegisteredAdapter, RegisteredClass, RegisteredModule, Registry } from '../registry.js';
import type { Issues } from './issues.js';

/** A class name as it stands in the file. */
export interface WrittenClass {
  readonly class: string;
  readonly classAt: SourceLocation;
  /** Of the entry. */
  readonly path: string;
}

/** What the stages after loading share. */
export class PlanContext {
  constructor(
    readonly registry: Registry,
    readonly issues: Issues,
    readonly env: Environment,
    private readonly installed: InstalledClasses,
  ) {}

  /** Stage 5 for a module; undefined with CONFIG_UNKNOWN_CLASS or CONFIG_WRONG_SLOT. */
  module(written: WrittenClass): RegisteredModule | undefined {
    const found = this.find(written, 'module');
    if (!found || found.kind === 'module') return found;
    this.wrongSlot(written, `${found.spec.slot.id} adapter`, 'module');
    return undefined;
  }

  /** Stage 5 for an adapter; undefined with CONFIG_UNKNOWN_CLASS or CONFIG_WRONG_SLOT. */
  adapter(written: WrittenClass, slot: string): RegisteredAdapter | undefined {
    const found = this.find(written, 'adapter', slot);
    if (!found) return undefined;
    if (found.kind === 'adapter' && found.spec.slot.id === slot) return found;
    this.wrongSlot(written, found.kind === 'adapter' ? `${found.spec.slot.id} adapter` : 'module', `${slot} adapter`);
    return undefined;
  }

  /** What a function of a class's declaration says; a throwing one is an error of the class, not of the file. */
  ask<T>(owner: string, what: string, at: SourceLocation, question: () => T): T | undefined {
    try {
      return question();
    } catch (error) {
      const reason = `${owner}: ${what} threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
      this.issues.add(treadleError('INTERNAL', { reason }, { at, cause: error }));
      return undefined;
    }
  }

  private find(written: WrittenClass, kind: RegisteredClass['kind'], slot?: string): RegisteredClass | undefined {
    const found = this.registry.find(written.class);
    if (found) {
      this.warnOfFormerName(written, found);
      return found;
    }
    const params = { path: `${written.path}.class`, class: written.class };
    const installed = this.installed.providerOf(written.class);
    const suggestion = installed ? undefined : nearestClass(written.class, this.names(kind, slot));
    const hint = foreignClass(written.class);
    this.issues.add(treadleError('CONFIG_UNKNOWN_CLASS', {
      ...params, ...(installed && { installed }), ...(suggestion && { suggestion }), ...(hint && { hint }),
    }, { at: written.classAt }));
    return undefined;
  }

  private warnOfFormerName(written: WrittenClass, found: RegisteredClass): void {
    if (!found.spec.renamedFrom?.some((former) => former === written.class)) return;
    this.issues.add(treadleError('CONFIG_DEPRECATED_CLASS', {
      path: `${written.path}.class`, class: written.class, use: found.spec.id,
    }, { at: written.classAt }));
  }

  private wrongSlot(written: WrittenClass, is: string, needed: string): void {
    this.issues.add(treadleError('CONFIG_WRONG_SLOT', {
      path: `${written.path}.class`, class: written.class, is, needed,
    }, { at: written.classAt }));
  }

  private names(kind: RegisteredClass['kind'], slot: string | undefined): string[] {
    const fitting = this.registry.classes().filter((entry) => entry.kind === kind
      && (entry.kind === 'module' || slot === undefined || entry.spec.slot.id === slot));
    return fitting.flatMap(({ spec }) => [spec.id, ...(spec.aliases ?? [])]);
  }
}
