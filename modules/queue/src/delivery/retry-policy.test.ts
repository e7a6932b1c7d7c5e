import { expect } from 'chai';
import { deliverySettings } from '../subscriptions/delivery-settings.js';
import { RateWindow } from './rate-window.js';
import { retryAfter, retryDelay } from './retry-policy.js';

describe('retryDelay', () => {
  const { backoff } = deliverySettings();

  it('grows by the factor up to the most', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((failed) => retryDelay(backoff, failed, () => 0));
    expect(delays).to.deep.equal([1_000, 3_000, 9_000, 27_000, 81_000, 243_000, 729_000, 900_000, 900_000]);
  });

  it('lies between half of the delay and all of it', () => {
    expect(retryDelay(backoff, 2, () => 1)).to.equal(1_500);
    expect(retryDelay(backoff, 2, () => 0.5)).to.equal(2_250);
  });

  it('stays the same when it is fixed, and within the most after a thousand attempts', () => {
    const fixed = deliverySettings({ backoffType: 'fixed', backoffDelayMs: 20, backoff: { jitter: 0 } }).backoff;
    expect([1, 5].map((failed) => retryDelay(fixed, failed, () => 1))).to.deep.equal([20, 20]);
    expect(retryDelay(backoff, 1_000, () => 0)).to.equal(900_000);
  });

  it('takes what RetryAfter asks for, up to a day', () => {
    expect([0, 1500.4, 1e12].map(retryAfter)).to.deep.equal([0, 1500, 86_400_000]);
  });
});

describe('deliverySettings', () => {
  it('has the defaults of the specification', () => {
    expect(deliverySettings()).to.deep.equal({
      fifo: false, maxAttempts: 10, backoff: { type: 'exponential', delayMs: 1000, factor: 3, maxMs: 900_000, jitter: 0.5 },
      concurrency: 10, timeoutMs: 300_000, delayMs: 0, rateLimit: undefined,
    });
  });

  it('understands the aliases', () => {
    const settings = deliverySettings({ maxRetries: 3, backoffType: 'fixed', backoffDelayMs: 7, visibilityTimeout: 1.5, delaySeconds: 2 });
    expect(settings).to.deep.include({ maxAttempts: 4, timeoutMs: 1500, delayMs: 2000 });
    expect(settings.backoff).to.include({ type: 'fixed', delayMs: 7 });
  });
});

describe('RateWindow', () => {
  it('lets no more than the most begin within any such time', () => {
    const rate = new RateWindow(3, 100);
    const begun: number[] = [];
    for (let now = 0; now < 1_000; now++) {
      if (now % 7 === 0 && rate.available(now) > 0) {
        rate.take(now);
        begun.push(now);
      }
    }
    for (const from of begun) expect(begun.filter((at) => at >= from && at < from + 100)).to.have.length.within(1, 3);
    expect(begun).to.have.length.greaterThan(25);
  });

  it('says how long it takes until the next may begin', () => {
    const rate = new RateWindow(2, 100);
    rate.take(10);
    expect(rate.waitMs(20)).to.equal(0);
    rate.take(20);
    expect(rate.waitMs(30)).to.equal(80);
    expect(rate.available(110)).to.equal(1);
  });
});
