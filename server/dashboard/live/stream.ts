/** One block of a stream of server-sent events. A comment is a block with none of these fields. */
export interface StreamEvent {
  id?: string;
  event?: string;
  data?: string;
}

export async function* streamEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): StreamEvent {
  const event: StreamEvent = {};
  for (const line of block.split('\n')) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) event[name as keyof StreamEvent] = value!;
  }
  return event;
}
