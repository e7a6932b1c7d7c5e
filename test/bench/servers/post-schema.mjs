/** What every POST contestant validates: the JSON Schema twin of the zod schema of our Step. */
export const ORDER_SCHEMA = {
  type: 'object',
  required: ['title', 'description', 'priority', 'customer', 'tags'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 },
    description: { type: 'string' },
    priority: { type: 'string', enum: ['low', 'normal', 'high'] },
    customer: {
      type: 'object',
      required: ['id', 'name', 'age'],
      additionalProperties: false,
      properties: { id: { type: 'string', minLength: 1 }, name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 150 } },
    },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 20 },
  },
};

export const answerTo = (order) => ({ id: order.customer.id, title: order.title, accepted: true });
