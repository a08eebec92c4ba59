import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** A connection on which a server refuses some methods, such as those that a permission is missing for. */
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
