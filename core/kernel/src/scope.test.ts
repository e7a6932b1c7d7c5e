import 'reflect-metadata';
import { expect } from 'chai';
import { container, inject as tsyringeInject, injectable } from 'tsyringe';
import { Inject, InjectAdapter, InjectConfig, token, type TreadleError } from '@treadle/api';
import { CONFIG, Scope, slotToken } from './scope.js';

interface Named { readonly name: string }
const Port = token<Named>('test.Port');
const Other = token<Named>('test.Other');

function caught(task: () => unknown): TreadleError {
  try {
    task();
  } catch (error) {
    return error as TreadleError;
  }
  throw new Error('nothing was thrown');
}

describe('Scope', () => {
  let scope: Scope;
  beforeEach(() => { scope = Scope.root(); });

  it('injects by token, without type information that esbuild and tsx do not emit', () => {
    class User {
      constructor(@Inject(Port) readonly port: Named, @InjectConfig() readonly config: unknown, @InjectAdapter('store') readonly store: unknown) {}
    }
    scope.value(Port, { name: 'value' });
    scope.value(CONFIG, { limit: 1 });
    scope.value(slotToken('store'), undefined);
    expect(scope.build(User)).to.deep.equal({ port: { name: 'value' }, config: { limit: 1 }, store: undefined });
  });

  it('injects a subclass without own constructor with what its parent asks for', () => {
    class Parent {
      constructor(@Inject(Port) readonly port: Named) {}
    }
    class Child extends Parent {}
    class Grandchild extends Child {}
    scope.value(Port, { name: 'plain' });
    expect(scope.build(Grandchild)).to.be.instanceOf(Grandchild).and.have.nested.property('port.name', 'plain');
  });

  it('refuses a parameter without decorator and shows the constructor', () => {
    class Careless {
      readonly name: string;
      constructor(@Inject(Port) port: Named, limit: number) {
        this.name = `${port.name}${limit}`;
      }
    }
    scope.value(Port, { name: 'plain' });
    const error = caught(() => scope.build(Careless));
    expect(error.code).to.equal('DI_PARAM_WITHOUT_TOKEN');
    expect(error.message).to.equal('parameter 1 of the constructor of Careless has no @Inject (constructor(port, limit))');
    expect(error.hint).to.equal('every constructor parameter needs @Inject(token), @InjectConfig() or @InjectAdapter(path)');
  });

  it('does not give a subclass with an own constructor the parameters of its parent', () => {
    class Parent {
      constructor(@Inject(Port) readonly port: Named) {}
    }
    class Child extends Parent {
      constructor(first: Named, readonly second: Named) {
        super(first);
      }
    }
    expect(caught(() => scope.build(Child)).message).to.equal('parameter 0 of the constructor of Child has no @Inject (constructor(first, second))');
  });

  it('builds a class that the author has decorated for tsyringe as well', () => {
    @injectable()
    class Foreign {
      constructor(@tsyringeInject('nobody') @Inject(Port) readonly port: Named) {}
    }
    scope.value(Port, { name: 'ours' });
    expect(scope.build(Foreign).port.name).to.equal('ours');
  });

  it('sees what its parents hold; what it holds itself goes before it and does not reach them', () => {
    class User { constructor(@Inject(Port) readonly port: Named, @Inject(Other) readonly other: Named) {} }
    scope.value(Port, { name: 'of the engine' });
    scope.value(Other, { name: 'of the engine' });
    const child = scope.child();
    child.value(Port, { name: 'of the entry' });
    const names = ({ port, other }: User): string[] => [port.name, other.name];
    expect(names(child.build(User))).to.deep.equal(['of the entry', 'of the engine']);
    expect(names(scope.build(User))).to.deep.equal(['of the engine', 'of the engine']);
  });

  it('lets the error of a constructor through as it was thrown, and builds again next time', () => {
    const failure = Object.assign(new RangeError('no room'), { code: 'ENOSPC', cause: 'the disk' });
    let attempts = 0;
    class Faulty {
      constructor() {
        attempts += 1;
        if (attempts === 1) throw failure;
      }
    }
    expect(caught(() => scope.build(Faulty))).to.equal(failure);
    expect(scope.build(Faulty)).to.be.instanceOf(Faulty);
  });

  it('builds nothing without a provider, and says who needs it', () => {
    let built = 0;
    class Needy {
      constructor(@Inject(Other) readonly other: Named) {
        built += 1;
      }
    }
    const error = caught(() => scope.child().build(Needy));
    expect(error.code).to.equal('DI_UNKNOWN_TOKEN');
    expect(error.message).to.equal('nothing provides test.Other (needed by Needy)');
    expect(built).to.equal(0);
  });

  it('builds a new instance each time', () => {
    class Plain {}
    expect(scope.build(Plain)).to.not.equal(scope.build(Plain));
  });

  it('forgets what it holds when it is disposed, and stops nothing', () => {
    let disposed = 0;
    class Disposable {
      constructor(@Inject(Port) readonly port: Named) {}
      dispose(): void { disposed += 1; }
    }
    class User { constructor(@Inject(Other) readonly other: Named) {} }
    scope.value(Other, { name: 'stays' });
    const child = scope.child();
    child.value(Port, { name: 'goes' });
    child.build(Disposable);
    child.dispose();
    expect(disposed).to.equal(0);
    expect(caught(() => child.build(Disposable)).code).to.equal('DI_UNKNOWN_TOKEN');
    expect(scope.build(User).other.name).to.equal('stays');
  });

  it('gives undefined for an optional port that nobody provides, and the value when it is undefined itself', () => {
    class Modest { constructor(@Inject(Other, { optional: true }) readonly other?: Named) {} }
    class Demanding { constructor(@Inject(Other) readonly other?: Named) {} }
    expect(scope.build(Modest).other).to.equal(undefined);
    scope.value(Other, undefined as unknown as Named);
    expect(scope.build(Demanding).other).to.equal(undefined);
  });

  it('leaves the container of the process alone', () => {
    class User { constructor(@Inject(Port) readonly port: Named) {} }
    scope.value(Port, { name: 'mine' });
    scope.build(User);
    expect([Port.key, User].map((key) => container.isRegistered(key))).to.deep.equal([false, false]);
  });
});
