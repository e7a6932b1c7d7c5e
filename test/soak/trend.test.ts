import { expect } from 'chai';
import { seededRandom } from '@treadle/testing';
import { grows, trendOf } from './src/trend.js';

describe('the trend of a soak', () => {
  const noise = seededRandom(7);
  const series = (value: (n: number) => number): number[] => Array.from({ length: 60 }, (_, n) => value(n));

  it('is none in noise, with outliers, or after a step down', () => {
    const flat = trendOf(series(() => 100 + noise() * 6));
    expect(flat.growth).to.be.within(-0.03, 0.03);
    expect(grows(flat, 0.03)).to.equal(false);
    expect(grows(trendOf(series((n) => (n % 20 === 19 ? 400 : 100 + noise()))), 0.03)).to.equal(false);
    expect(grows(trendOf(series((n) => (n < 30 ? 120 : 100) + noise())), 0.03)).to.equal(false);
  });

  it('is the growth over the whole time', () => {
    const trend = trendOf(series((n) => 100 + n));
    expect(trend.growth).to.be.closeTo(59 / trend.first, 1e-9);
    expect(trend.tau).to.equal(1);
  });

  it('counts as growth where a value is missing', () => {
    expect(grows(trendOf(series((n) => (n === 30 ? NaN : 100))), 0.03)).to.equal(true);
  });

  it('shows a slow leak below larger noise', () => {
    const leak = trendOf(series((n) => 100 + n / 4 + noise() * 6));
    expect(leak.growth).to.be.within(0.1, 0.2);
    expect(grows(leak, 0.05)).to.equal(true);
  });
});
