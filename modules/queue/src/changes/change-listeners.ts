import type { ChangeSubject, StepId } from '@treadle/api';
import { selects, type ChangeSelector } from './change-selector.js';
import { storedSelectors } from '../subscriptions/step-subscriptions.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';

/** The Steps that listen to changes. */
export class ChangeListeners {
  private list: readonly { readonly step: StepId; readonly selectors: readonly ChangeSelector[] }[] = [];

  constructor(private readonly subscriptions: Subscriptions) {}

  /** Reads them again. */
  refresh(): void {
    this.list = this.subscriptions.expected().filter(({ topic }) => topic === '')
      .map((subscription) => ({ step: subscription.step, selectors: storedSelectors(subscription) }));
  }

  wants(subject: ChangeSubject): boolean {
    return this.list.some(({ selectors }) => selectors.some((selector) => selects(selector, subject)));
  }

  stepsFor(subject: ChangeSubject): readonly StepId[] {
    return this.list.filter(({ selectors }) => selectors.some((selector) => selects(selector, subject))).map(({ step }) => step);
  }

  /** Resolves when all of them can be enqueued to. */
  stored(): Promise<void> {
    return this.subscriptions.settled();
  }
}
