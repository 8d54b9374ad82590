const KEY_SIGNS: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  Delete: "Del",
  Backspace: "⌫",
};

export function Keys({ keys }: { keys: string[] }) {
  return keys.slice(0, 2).map((combination, index) => (
    <span key={combination}>
      {index > 0 && <span className="muted"> or </span>}
      {combination.split(/\+(?=.)/).map((key) => (
        <kbd key={key}>{KEY_SIGNS[key] ?? key}</kbd>
      ))}
    </span>
  ));
}
