import { StreamClient } from '/stream-client/index.js';

const room = new URLSearchParams(location.search).get('room') ?? 'lobby';
const [signIn, post, typing, messages] = ['#sign-in', '#post', '#typing', '#messages'].map((name) => document.querySelector(name));
const send = (path, body = {}) => fetch(`/api/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

signIn.addEventListener('submit', async (event) => {
  event.preventDefault();
  await send('sign-in', { user: signIn.user.value });
  [signIn.hidden, post.hidden] = [true, false];
  const chat = new StreamClient({ url: '/streams' }).subscribe({ streamName: 'chat', groupId: room });
  chat.onChange(({ items }) => messages.replaceChildren(...items.map(({ data }) => line(`${data.user}: ${data.text}`))));
  chat.onEvent(({ data }) => {
    typing.textContent = `${data.user} is typing`;
    setTimeout(() => { typing.textContent = ''; }, 2000);
  });
});

post.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { value } = post.text;
  post.reset();
  await send(`rooms/${room}/messages`, { text: value });
});

post.text.addEventListener('input', () => void send(`rooms/${room}/typing`));

function line(text) {
  const made = document.createElement('li');
  made.textContent = text;
  return made;
}
