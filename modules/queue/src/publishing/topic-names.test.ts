import { expect } from 'chai';
import { TopicNames } from './topic-names.js';

describe('TopicNames', () => {
  it('name a topic after their prefix, and what has none by the prefix alone', () => {
    const names = new TopicNames('queue.publish');
    expect(['orders', 'orders', ''].map((topic) => names.of(topic))).to.deep.equal(['queue.publish orders', 'queue.publish orders', 'queue.publish']);
  });

  it('go on naming topics when there are more than they remember', () => {
    const names = new TopicNames('p');
    for (let n = 0; n < 2_500; n++) expect(names.of(`t${n}`)).to.equal(`p t${n}`);
  });
});
