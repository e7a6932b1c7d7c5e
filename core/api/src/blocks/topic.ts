const TOPIC = /^[A-Za-z0-9._:/-]{1,200}$/;

/** True for a name that a topic may have. */
export function isTopicName(value: unknown): value is string {
  return typeof value === 'string' && TOPIC.test(value);
}

/** What a topic may be, for messages to people. */
export const TOPIC_RULE = '1 to 200 letters, digits, ".", "_", ":", "/" or "-"';
