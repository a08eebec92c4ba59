import type { ComponentChildren, JSX } from 'preact';

/** An input under its label. */
export function Field({
  label,
  children,
  class: name,
}: {
  label: string;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label class={`field ${name ?? ''}`}>
      <span>{label}</span>
      {children}
    </label>
  );
}

/** The ledger takes no longer text. */
const CHARACTERS_AT_MOST = 4000;

/** A line of text, such as the reason for a change. */
export function TextField({
  label,
  value,
  required = false,
  onChange,
}: {
  label: string;
  value: string;
  required?: boolean;
  onChange: (value: string) => void;
}) {
  const changed = (event: JSX.TargetedInputEvent<HTMLInputElement>) => onChange(event.currentTarget.value);
  return (
    <Field label={label}>
      <input class="input" required={required} value={value} maxLength={CHARACTERS_AT_MOST} onInput={changed} />
    </Field>
  );
}

export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: [Value, string][];
  onChange: (value: Value) => void;
}) {
  const changed = (event: JSX.TargetedEvent<HTMLSelectElement>) => onChange(event.currentTarget.value as Value);
  return (
    <Field label={label}>
      <select class="input" value={value} onChange={changed}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
