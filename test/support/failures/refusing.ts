import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** A connection whose server refuses some methods, such as ones without permission. */
export function refusing(address: string, code: number, isRefused: (method: string) => boolean): ConnectionOptions {
  const interceptor: Interceptor = (options, next) => {
    const call = next(options) as ReturnType<Interceptor>;
    if (!isRefused(options.method_definition.path.split('/').at(-1)!)) return call;
    const start: typeof call.start = (metadata, listener) =>
      listener?.onReceiveStatus?.({ code, details: 'refused', metadata });
    return Object.assign(call, { start, sendMessage: () => {}, halfClose: () => {} });
  };
  return { address, interceptors: [interceptor] };
}

/** A connection on which calls of one method, after the first ones, hang until a function in `held` fails them. */
export function holding(address: string, method: string, held: (() => void)[], after = 0): ConnectionOptions {
  let calls = 0;
  const UNAVAILABLE = 14;
  const interceptor: Interceptor = (options, next) => {
    const call = next(options) as ReturnType<Interceptor>;
    if (options.method_definition.path.split('/').at(-1) !== method || ++calls <= after) return call;
    const start: typeof call.start = (metadata, listener) =>
      void held.push(() => listener?.onReceiveStatus?.({ code: UNAVAILABLE, details: 'unavailable', metadata }));
    return Object.assign(call, { start, sendMessage: () => {}, halfClose: () => {} });
  };
  return { address, interceptors: [interceptor] };
}

/** A connection whose server refuses calls of one method that contain this text, such as a workflow ID. */
export function refusingOne(address: string, code: number, method: string, name: string): ConnectionOptions {
  const interceptor: Interceptor = (options, next) => {
    const call = next(options) as ReturnType<Interceptor>;
    if (options.method_definition.path.split('/').at(-1) !== method) return call;
    const begin = call.start.bind(call);
    const send = call.sendMessage.bind(call);
    const end = call.halfClose.bind(call);
    let started: Parameters<typeof call.start> | undefined;
    let isRefused = false;
    return Object.assign(call, {
      start: (...args: Parameters<typeof call.start>) => {
        started = args;
      },
      sendMessage: (message: Buffer) => {
        const [metadata, listener] = started!;
        isRefused = Buffer.from(message).includes(name);
        if (isRefused) return void listener?.onReceiveStatus?.({ code, details: 'refused', metadata });
        begin(metadata, listener);
        send(message);
      },
      halfClose: () => {
        if (!isRefused) end();
      },
    });
  };
  return { address, interceptors: [interceptor] };
}
