/** A drawing as an image: scripts in it would not run, and it loads nothing. */
export function DrawnDifference({ svg, alt }: { svg: string; alt: string }) {
  return (
    <figure className="drawn-difference">
      <img alt={alt} src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`} />
    </figure>
  );
}
