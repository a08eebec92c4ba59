import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * A connection on which a server's calls are answered by a gRPC status where `isRefused`, such as those that a permission is
 * missing for; the others reach the server.
 */
export function refusing(
  address: string,
  code: number,
  isRefused: (method: string, request: Buffer) => boolean,
): ConnectionOptions {
  const interceptor: Interceptor = (options, next) => {
    const call = next(options) as ReturnType<Interceptor>;
    const [start, sendMessage, halfClose] = [call.start, call.sendMessage, call.halfClose].map((method) =>
      (method as (...given: unknown[]) => void).bind(call),
    ) as ((...given: unknown[]) => void)[];
    const method = options.method_definition.path.split('/').at(-1)!;
    let begun: Parameters<typeof call.start>;
    let refused = false;
    return Object.assign(call, {
      start: (...given: typeof begun) => {
        begun = given;
      },
      sendMessage: (request: Uint8Array) => {
        refused = isRefused(method, Buffer.from(request));
        if (refused) return begun[1]?.onReceiveStatus?.({ code, details: 'refused', metadata: begun[0]! });
        start!(...begun);
        sendMessage!(request);
      },
      halfClose: () => {
        if (!refused) halfClose!();
      },
    });
  };
  return { address, interceptors: [interceptor] };
}
