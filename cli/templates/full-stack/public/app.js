import { StreamClient } from '/stream-client/index.js';

const form = document.querySelector('form');
const list = document.querySelector('#tasks');
const status = document.querySelector('#status');
const problem = document.querySelector('#problem');

const tasks = new StreamClient({ url: '/streams' }).subscribe({ streamName: 'tasks', groupId: 'all' });
tasks.onChange(render);

/** Sends a request. What it changes comes back by the stream, to this page and every other one. */
async function send(method, path, body) {
  const headers = body && { 'content-type': 'application/json' };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  problem.textContent = response.ok ? '' : await reason(response);
  render();
  return response.ok;
}

/** Answers of the engine say what is wrong in the body; a bare 404 says it all. */
async function reason(response) {
  const { error = `status ${response.status}` } = await response.json().catch(() => ({}));
  return error;
}

function render() {
  status.textContent = tasks.status;
  list.replaceChildren(...tasks.items.map(({ data }) => taskElement(data)));
}

function taskElement({ id, description, completed }) {
  const path = `/tasks/${id}`;
  const box = element('input', { type: 'checkbox', checked: completed });
  box.addEventListener('change', () => send('PUT', path, { completed: box.checked }));
  const button = element('button', { type: 'button' }, 'Delete');
  button.addEventListener('click', () => send('DELETE', path));
  return element('li', {}, element('label', {}, box, ' ', description), button);
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { description } = form.elements;
  if (await send('POST', '/tasks', { description: description.value })) form.reset();
});
