import type { Files } from './temp-folder.js';

/** The five sample endpoints of the base specification ("Endpoints"), each as a Step of its own. */
export const BASE_STEPS: Files = {
  'steps/greeting.step.ts': `import type { Handlers, StepConfig } from 'treadle';

export const config = {
  name: 'Greeting',
  triggers: [{ type: 'http', method: 'GET', path: '/greeting' }],
} as const satisfies StepConfig;

export const handler: Handlers<typeof config> = async ({ queryParams }) => ({
  status: 200,
  body: { message: \`Hello \${queryParams.name ?? 'World'}\`, status: 'ok', appName: 'base' },
});
`,
  'steps/create-todo.step.ts': `import { http, step } from 'treadle';
import { z } from 'zod';

const error = z.object({ error: z.string() });
const todo = z.object({ id: z.string(), description: z.string(), createdAt: z.string(), dueDate: z.string().optional() });

export default step(
  {
    name: 'CreateTodo',
    triggers: [http('POST', '/todos', { bodySchema: z.object({ description: z.string().optional(), dueDate: z.string().optional() }), responseSchema: { 201: todo, 400: error, 500: error } })],
    enqueues: ['todo.created'],
  },
  async ({ body }, { state, enqueue, logger, traceId }) => {
    try {
      if (!body.description) return { status: 400, body: { error: 'description is required' } };
      if (body.description === 'boom') throw new Error('it broke');
      const created = { id: crypto.randomUUID(), description: body.description, createdAt: new Date().toISOString(), ...(body.dueDate && { dueDate: body.dueDate }) };
      await state.set('todos', created.id, created);
      await enqueue({ topic: 'todo.created', data: { id: created.id, traceId } });
      return { status: 201, body: created };
    } catch (thrown) {
      logger.error('could not create', { reason: String(thrown) });
      return { status: 500, body: { error: 'Internal server error' } };
    }
  },
);
`,
  'steps/follow-todo.step.ts': `import { queue, step } from 'treadle';

export default step(
  { name: 'FollowTodo', triggers: [queue('todo.created')] },
  async (input, { state, traceId }) => {
    const { id, traceId: produced } = input as { id: string; traceId: string };
    await state.set('followed', id, { sameTrace: produced === traceId });
  },
);
`,
  'steps/get-todo.step.ts': `import { http, step } from 'treadle';

export const { config, handler } = step(
  { name: 'GetTodo', triggers: [http('GET', '/todos/:id')] },
  async ({ request }, ctx) => {
    const todo = await ctx.state.get('todos', request.pathParams.id);
    return todo ? { status: 200, body: todo } : { status: 404 };
  },
);
`,
  'steps/update-todo.step.ts': `import { http, step } from 'treadle';
import { z } from 'zod';

export default step(
  { name: 'UpdateTodo', triggers: [http('PUT', '/todos/:id', { bodySchema: z.object({ description: z.string().optional(), completed: z.boolean().optional() }) })] },
  async ({ pathParams, body }, { state }) => {
    if (!(await state.get('todos', pathParams.id))) return { status: 404 };
    const { value } = await state.update('todos', pathParams.id, [{ type: 'merge', value: body }]);
    return { status: 200, body: value };
  },
);
`,
  'steps/delete-todo.step.ts': `import { http, step } from 'treadle';

export default step(
  { name: 'DeleteTodo', triggers: [http('DELETE', '/todos/:id')] },
  async ({ pathParams }, { state }) => {
    await state.delete('todos', pathParams.id);
    return { status: 204 };
  },
);
`,
  'steps/create-pet.step.ts': `import { http, step } from 'treadle';
import { z } from 'zod';

export default step(
  {
    name: 'CreatePet',
    triggers: [
      http('POST', '/basic-tutorial', {
        bodySchema: z.object({ pet: z.object({ name: z.string(), photoUrl: z.string() }), foodOrder: z.object({ quantity: z.number() }).optional() }),
        responseSchema: { 200: z.object({ id: z.string(), name: z.string(), photoUrl: z.string() }) },
      }),
    ],
  },
  async ({ body }) => ({ status: 200, body: { id: crypto.randomUUID(), ...body.pet } }),
);
`,
};

/** The same in Python: dictionaries, and snake_case for what handlers get. */
export const BASE_STEPS_IN_PYTHON: Files = {
  'steps/greeting_step.py': `config = {"name": "Greeting", "triggers": [{"type": "http", "method": "GET", "path": "/greeting"}]}


async def handler(request, ctx):
    name = request.query_params.get("name", "World")
    ctx.logger.info("greeting", {"name": name})
    return {"status": 200, "body": {"message": f"Hello {name}", "status": "ok", "appName": "base"}}
`,
  'steps/create_todo_step.py': `import uuid
from datetime import datetime, timezone

error = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
todo = {"type": "object", "required": ["id", "description", "createdAt"]}
config = {
    "name": "CreateTodo",
    "triggers": [{
        "type": "http", "method": "POST", "path": "/todos",
        "bodySchema": {"type": "object", "properties": {"description": {"type": "string"}, "dueDate": {"type": "string"}}},
        "responseSchema": {201: todo, 400: error, 500: error},
    }],
    "enqueues": ["todo.created"],
}


async def handler(request, ctx):
    try:
        if not request.body.get("description"):
            return {"status": 400, "body": {"error": "description is required"}}
        if request.body["description"] == "boom":
            raise ValueError("it broke")
        created = {"id": str(uuid.uuid4()), **request.body, "createdAt": datetime.now(timezone.utc).isoformat()}
        await ctx.state.set("todos", created["id"], created)
        await ctx.enqueue({"topic": "todo.created", "data": {"id": created["id"], "traceId": ctx.trace_id}})
        return {"status": 201, "body": created}
    except Exception as error:
        ctx.logger.error("could not create", {"reason": str(error)})
        return {"status": 500, "body": {"error": "Internal server error"}}
`,
  'steps/follow_todo_step.py': `config = {"name": "FollowTodo", "triggers": [{"type": "queue", "topic": "todo.created"}]}


async def handler(input, ctx):
    await ctx.state.set("followed", input["id"], {"sameTrace": input["traceId"] == ctx.trace_id})
`,
  'steps/get_todo_step.py': `config = {"name": "GetTodo", "triggers": [{"type": "http", "method": "GET", "path": "/todos/:id"}]}


async def handler(input, ctx):
    todo = await ctx.state.get("todos", input.request.path_params["id"])
    return {"status": 200, "body": todo} if todo else {"status": 404}
`,
  'steps/update_todo_step.py': `config = {
    "name": "UpdateTodo",
    "triggers": [{
        "type": "http", "method": "PUT", "path": "/todos/:id",
        "bodySchema": {"type": "object", "properties": {"description": {"type": "string"}, "completed": {"type": "boolean"}}},
    }],
}


async def handler(request, ctx):
    id = request.path_params["id"]
    if not await ctx.state.get("todos", id):
        return {"status": 404}
    changed = await ctx.state.update("todos", id, [{"type": "merge", "value": request.body}])
    return {"status": 200, "body": changed["value"]}
`,
  'steps/delete_todo_step.py': `config = {"name": "DeleteTodo", "triggers": [{"type": "http", "method": "DELETE", "path": "/todos/:id"}]}


async def handler(request, ctx):
    await ctx.state.delete("todos", request.path_params["id"])
    return {"status": 204}
`,
  'steps/create_pet_step.py': `import uuid

text = {"type": "string"}
pet = {"type": "object", "required": ["name", "photoUrl"], "properties": {"name": text, "photoUrl": text}}
config = {
    "name": "CreatePet",
    "triggers": [{
        "type": "http", "method": "POST", "path": "/basic-tutorial",
        "bodySchema": {
            "type": "object", "required": ["pet"],
            "properties": {"pet": pet, "foodOrder": {"type": "object", "required": ["quantity"], "properties": {"quantity": {"type": "number"}}}},
        },
        "responseSchema": {200: {"type": "object", "required": ["id", "name", "photoUrl"]}},
    }],
}


def handler(request, ctx):
    return {"status": 200, "body": {"id": str(uuid.uuid4()), **request.body["pet"]}}
`,
};
