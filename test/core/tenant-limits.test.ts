import { describe, expect, it } from 'vitest';
import { outsideOf } from '../../core/tenant-limits';

const place = { namespace: 'acme-prod', taskQueue: 'acme-reports' };

describe('a schedule of a tenant', () => {
  it.each<[what: string, names: string[] | null, isAllowed: boolean]>([
    ['without a limit', null, true],
    ['if its own name is allowed', ['acme-reports'], true],
    ['if the second name is its own', ['acme-bills', 'acme-reports'], true],
    ['if its name begins as one with a star', ['acme-*'], true],
    ['if a star stands for nothing', ['acme-reports*'], true],
    ['if a star stands for every name', ['*'], true],
    ['not if the list is empty', [], false],
    ['not if another name is allowed', ['acme-bills'], false],
    ['not if its name is only the beginning of an allowed one', ['acme-reports-2'], false],
    ['not if an allowed name without a star is its beginning', ['acme-'], false],
    ['not if a star follows another beginning', ['other-*'], false],
    ['not if a star follows more than its name', ['acme-reports-*'], false],
    ['not if it ends as a name with a star begins', ['reports*'], false],
    ['not if the star comes first, where it is a letter', ['*reports'], false],
    ['not if the star is within, where it is a letter', ['acme*reports'], false],
    ['not if upper and lower case differ', ['ACME-*'], false],
  ])('may use a task queue, and a namespace, %s', (_, names, isAllowed) => {
    const value = 'acme-reports';
    const queue = outsideOf({ namespaces: null, taskQueues: names }, { namespace: 'default', taskQueue: value });
    expect(queue).toEqual(isAllowed ? undefined : { path: 'action.taskQueue', value, allowed: names });
    const namespace = outsideOf({ namespaces: names, taskQueues: null }, { namespace: value, taskQueue: 'default' });
    expect(namespace).toEqual(isAllowed ? undefined : { path: 'namespace', value, allowed: names });
  });

  it('may use a name with a star in it if that very name is allowed', () => {
    const limits = { namespaces: null, taskQueues: ['*reports'] };
    expect(outsideOf(limits, { namespace: 'default', taskQueue: '*reports' })).toBeUndefined();
  });

  it('is outside by its namespace first, if both fields are', () => {
    expect(outsideOf({ namespaces: ['acme-test'], taskQueues: ['acme-bills'] }, place)).toEqual({
      path: 'namespace',
      value: 'acme-prod',
      allowed: ['acme-test'],
    });
  });

  it('has to be inside both limits', () => {
    expect(outsideOf({ namespaces: ['acme-prod'], taskQueues: ['acme-*'] }, place)).toBeUndefined();
    expect(outsideOf({ namespaces: ['acme-prod'], taskQueues: ['acme-bills'] }, place)).toMatchObject({
      path: 'action.taskQueue',
    });
    expect(outsideOf({ namespaces: ['acme-test'], taskQueues: ['acme-*'] }, place)).toMatchObject({
      path: 'namespace',
    });
  });
});
