export function Problem({ text }: { text: string | null }) {
  return text ? (
    <div className="problem" role="alert">
      {text}
    </div>
  ) : null;
}
