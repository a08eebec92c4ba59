import { type ClientHttp2Session, constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM } = constants;

/** Pass one gRPC call on to a server, with its trailers, and cancel it there if the caller cancels. */
export function passCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: ClientHttp2Session): void {
  const call = upstream.request(headers);
  let trailers: IncomingHttpHeaders = {};
  call.on('response', (response, flags) => {
    if (stream.destroyed) return;
    const isAll = (flags & NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(response, isAll ? { endStream: true } : { waitForTrailers: true });
    if (!isAll) call.pipe(stream);
  });
  call.on('trailers', (received) => {
    trailers = received;
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('close', () => call.close(NGHTTP2_CANCEL));
  call.on('error', () => stream.close()).on('close', () => call.rstCode && stream.close(call.rstCode));
  stream.pipe(call);
}
