import { Client, type WorkflowService } from '@temporalio/client';

type Call<Name extends keyof WorkflowService> = WorkflowService[Name] extends (request: infer Request) => infer Answer
  ? (request: Request, real: (request: Request) => Answer) => Answer
  : never;

/** Hooks that run before calls of the real server. Each gets the request and the real call. */
export type Calls = { [Name in keyof WorkflowService]?: Call<Name> };

/** A client of the same server and namespace, with a hook before some of its calls. */
export function withCalls({ connection, options: { namespace } }: Client, calls: Calls): Client {
  const workflowService = new Proxy(connection.workflowService, {
    get: (service, name) => {
      const real = Reflect.get(service, name);
      if (typeof real !== 'function') return real;
      const before = calls[name as keyof Calls] as ((request: unknown, real: unknown) => unknown) | undefined;
      const bound = real.bind(service);
      return before ? (request: unknown) => before(request, bound) : bound;
    },
  });
  const between = new Proxy(connection, {
    get: (real, name) => (name === 'workflowService' ? workflowService : Reflect.get(real, name)),
  });
  return new Client({ connection: between, namespace });
}
