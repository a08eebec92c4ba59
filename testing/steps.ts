import { ApplicationFailure } from '@temporalio/common';
import { didYouMean } from '../core/closest';
import { UnknownFaultError } from './errors';

type Activities = Record<string, (...args: never[]) => unknown>;

/** The user's activities, which can be made to fail. */
export class Steps {
  readonly #failures = new Map<string, number>();
  readonly activities: Activities;

  constructor(private readonly own: object) {
    this.activities = Object.fromEntries(namesOf(own).map((name) => [name, this.#wrap(name)]));
  }

  fail(name: string, times: number): void {
    if (!Object.hasOwn(this.activities, name)) {
      throw new UnknownFaultError(
        `there is no activity '${name}' to fail${didYouMean(name, Object.keys(this.activities))}`,
      );
    }
    this.#failures.set(name, (this.#failures.get(name) ?? 0) + times);
  }

  #wrap(name: string): (...args: never[]) => unknown {
    return (...args) => {
      const left = this.#failures.get(name) ?? 0;
      if (left > 0) {
        this.#failures.set(name, left - 1);
        throw ApplicationFailure.create({ type: 'OrderedFailure', message: `${name} fails, as the test ordered` });
      }
      const own = this.own as Activities;
      return own[name]!(...args);
    };
  }
}

function namesOf(own: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = own; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name !== 'constructor' && typeof Reflect.get(own, name) === 'function') names.add(name);
    }
  }
  return [...names];
}
