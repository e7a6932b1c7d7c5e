import 'reflect-metadata';
import { expect } from 'chai';
import { container, injectable, singleton } from 'tsyringe';
import { Inject, InjectAdapter, InjectConfig, token, type Ctor, type TreadleError } from '@treadle/api';
import { CONFIG, Scope, slotToken } from './scope.js';

interface Named { readonly name: string }
const Port = token<Named>('test.Port');
const Other = token<Named>('test.Other');
const Third = token<Named>('test.Third');

function caught(task: () => unknown): TreadleError {
  try {
    task();
  } catch (error) {
    return error as TreadleError;
  }
  throw new Error('nothing was thrown');
}

class PlainPort implements Named {
  readonly name = 'plain';
}

describe('Scope', () => {
  // The numbers are those of the list of tsyringe's behaviours in the architecture, section 8.
  it('1: injects by token, without type information that esbuild and tsx do not emit', () => {
    class User {
      constructor(@Inject(Port) readonly port: Named, @InjectConfig() readonly config: unknown, @InjectAdapter('store') readonly store: unknown) {}
    }
    const scope = Scope.root('root');
    scope.value(Port, { name: 'value' });
    scope.value(CONFIG, { limit: 1 });
    scope.value(slotToken('store'), undefined);
    scope.class(Other, User as unknown as Ctor<Named>);
    const user = scope.get(Other) as unknown as User;
    expect(user.port.name).to.equal('value');
    expect(user.config).to.deep.equal({ limit: 1 });
    expect(user.store).to.equal(undefined);
  });

  it('2: injects a subclass without own constructor with what its parent asks for', () => {
    class Parent {
      constructor(@Inject(Port) readonly port: Named) {}
      get name(): string { return this.port.name; }
    }
    class Child extends Parent {}
    class Grandchild extends Child {}
    const scope = Scope.root('root');
    scope.class(Port, PlainPort);
    scope.class(Other, Grandchild);
    expect(scope.get(Other).name).to.equal('plain');
  });

  it('2: refuses a parameter without decorator and shows the constructor', () => {
    class Careless {
      readonly name: string;
      constructor(@Inject(Port) port: Named, limit: number) {
        this.name = `${port.name}${limit}`;
      }
    }
    const scope = Scope.root('root');
    scope.class(Port, PlainPort);
    scope.class(Other, Careless as unknown as Ctor<Named>);
    const error = caught(() => scope.get(Other));
    expect(error.code).to.equal('DI_PARAM_WITHOUT_TOKEN');
    expect(error.message).to.equal('parameter 1 of the constructor of Careless has no @Inject (constructor(port, limit))');
    expect(error.hint).to.equal('every constructor parameter needs @Inject(token), @InjectConfig() or @InjectAdapter(path)');
  });

  it('2: does not give a subclass with an own constructor the parameters of its parent', () => {
    class Parent {
      constructor(@Inject(Port) readonly port: Named) {}
      get name(): string { return this.port.name; }
    }
    class Child extends Parent {
      constructor(first: Named, readonly second: Named) {
        super(first);
      }
    }
    const scope = Scope.root('root');
    scope.class(Other, Child as unknown as Ctor<Named>);
    expect(caught(() => scope.get(Other)).message)
      .to.equal('parameter 0 of the constructor of Child has no @Inject (constructor(first, second))');
  });

  it('3: builds a class that a foreign copy of tsyringe has decorated', () => {
    // What a second copy does to a class: type information under its own keys, which nobody here reads.
    @injectable()
    class Foreign {
      constructor(@Inject(Port) readonly port: Named) {}
      get name(): string { return `foreign ${this.port.name}`; }
    }
    const scope = Scope.root('root');
    scope.class(Port, PlainPort);
    scope.class(Other, Foreign);
    expect(scope.get(Other).name).to.equal('foreign plain');
  });

  it('4: builds an instance in the scope that it was registered with, whoever asks first', () => {
    class Owned implements Named {
      readonly name: string;
      constructor(@Inject(Port) port: Named) {
        this.name = port.name;
      }
    }
    const root = Scope.root('root');
    root.value(Port, { name: 'of the root' });
    root.class(Other, Owned);
    const child = root.child('child');
    child.value(Port, { name: 'of the child' });
    expect(child.get(Other).name).to.equal('of the root');
    expect(child.get(Other)).to.equal(root.get(Other));
    expect(child.get(Port).name).to.equal('of the child');
  });

  it('5: names a circle in one short line', () => {
    class A { constructor(@Inject(Other) readonly other: Named) {} readonly name = 'a'; }
    class B { constructor(@Inject(Third) readonly third: Named) {} readonly name = 'b'; }
    class C { constructor(@Inject(Port) readonly port: Named) {} readonly name = 'c'; }
    const scope = Scope.root('root');
    scope.class(Port, A);
    scope.class(Other, B);
    scope.child('elsewhere').value(Third, { name: 'not seen from the root' });
    scope.class(Third, C);
    const error = caught(() => scope.child('child').get(Port));
    expect(error.code).to.equal('DI_CYCLE');
    expect(error.message).to.equal('construction goes in a circle: A -> B -> C -> A');
  });

  it('5: two classes of the same name are no circle', () => {
    const Inner = { Adapter: class Adapter { readonly name = 'inner'; } }.Adapter;
    class Adapter { constructor(@Inject(Other) readonly inner: Named) {} get name(): string { return `outer of ${this.inner.name}`; } }
    const scope = Scope.root('root');
    scope.class(Other, Inner);
    scope.class(Port, Adapter);
    expect(scope.get(Port).name).to.equal('outer of inner');
  });

  it('6: lets the error of a constructor through as it was thrown, and builds again next time', () => {
    const failure = Object.assign(new RangeError('no room'), { code: 'ENOSPC', cause: 'the disk' });
    let attempts = 0;
    class Faulty {
      readonly name = 'late';
      constructor() {
        attempts += 1;
        if (attempts === 1) throw failure;
      }
    }
    class User { constructor(@Inject(Port) readonly port: Named) {} readonly name = 'user'; }
    const scope = Scope.root('root');
    scope.class(Port, Faulty);
    scope.class(Other, User);
    expect(caught(() => scope.get(Other))).to.equal(failure);
    expect(scope.get(Other).name).to.equal('user');
  });

  it('7: refuses a second provider for a token and names both', () => {
    const scope = Scope.root('engine');
    scope.value(Port, { name: 'first' });
    const error = caught(() => scope.class(Port, PlainPort));
    expect(error.code).to.equal('DI_DUPLICATE_PROVIDER');
    expect(error.message).to.equal('test.Port is provided twice: by engine and by PlainPort');
    expect(scope.get(Port).name).to.equal('first');
  });

  it('8: builds nothing for a token without provider, and says who needs it', () => {
    class Needy { constructor(@Inject(Other) readonly other: Named) {} readonly name = 'needy'; }
    const scope = Scope.root('root');
    const error = caught(() => scope.get(Port));
    expect(error.code).to.equal('DI_UNKNOWN_TOKEN');
    expect(error.message).to.equal('nothing provides test.Port');
    scope.class(Port, Needy);
    expect(caught(() => scope.get(Port)).message).to.equal('nothing provides test.Other (needed by Needy)');
  });

  it('8: gives the same instance each time', () => {
    const scope = Scope.root('root');
    scope.class(Port, PlainPort);
    expect(scope.get(Port)).to.equal(scope.child('child').get(Port));
  });

  it('9: forgets what it holds when it is disposed, and stops nothing', () => {
    let disposed = 0;
    @singleton()
    class Disposable implements Named {
      readonly name = 'disposable';
      dispose(): void { disposed += 1; }
    }
    const root = Scope.root('root');
    root.value(Other, { name: 'stays' });
    const child = root.child('child');
    child.class(Port, Disposable);
    child.get(Port);
    child.dispose();
    expect(disposed).to.equal(0);
    expect(child.has(Port)).to.equal(false);
    expect(root.get(Other).name).to.equal('stays');
  });

  it('10: constructs synchronously', () => {
    const scope = Scope.root('root');
    scope.class(Port, PlainPort);
    expect(scope.get(Port)).to.be.instanceOf(PlainPort);
  });

  it('gives undefined for an optional port that nobody provides, and the value when it is undefined itself', () => {
    class Modest { constructor(@Inject(Other, { optional: true }) readonly other?: Named) {} readonly name = 'modest'; }
    const scope = Scope.root('root');
    scope.class(Port, Modest);
    expect((scope.get(Port) as Modest).other).to.equal(undefined);
    const child = scope.child('child');
    child.value(Other, undefined as unknown as Named);
    expect(child.get(Other)).to.equal(undefined);
    expect(child.has(Other)).to.equal(true);
  });

  it('leaves the container of the process alone', () => {
    Scope.root('root').value(Port, { name: 'mine' });
    expect(container.isRegistered(Port.key)).to.equal(false);
  });
});
