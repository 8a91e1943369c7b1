"""Writes pictures/ and damaged/ with Pillow and ffmpeg: the same four fields, red and green above, blue and yellow below.

pip install pillow imageio-ffmpeg"""
from PIL import Image
import subprocess, imageio_ffmpeg
ff = imageio_ffmpeg.get_ffmpeg_exe()
D = "pictures/"
W, H = 48, 32
R, G, B, Y = (220, 20, 20), (20, 200, 20), (20, 20, 220), (230, 220, 20)
def upright():
    im = Image.new("RGB", (W, H))
    for y in range(H):
        for x in range(W):
            im.putpixel((x, y), (R if x < W//2 else G) if y < H//2 else (B if x < W//2 else Y))
    return im
im = upright()
T = Image.Transpose
# what must be stored so that a reader that obeys the tag shows the upright picture
inverse = {1: None, 2: T.FLIP_LEFT_RIGHT, 3: T.ROTATE_180, 4: T.FLIP_TOP_BOTTOM, 5: T.TRANSPOSE, 6: T.ROTATE_90, 7: T.TRANSVERSE, 8: T.ROTATE_270}
for o, t in inverse.items():
    st = im.transpose(t) if t is not None else im
    ex = Image.Exif(); ex[0x0112] = o
    st.save(D + f"exif{o}_frame_{o}.jpg", quality=95, subsampling=0, exif=ex)
ex = Image.Exif(); ex[0x0112] = 6
im.transpose(T.ROTATE_90).save(D + "exif6.png", exif=ex)
im.save(D + "progressive.jpg", progressive=True, quality=95, subsampling=0)
im.convert("CMYK").save(D + "cmyk.jpg", quality=95)
im.convert("P", palette=Image.Palette.ADAPTIVE).save(D + "palette.png", transparency=0)
a = im.convert("RGBA"); a.putalpha(0); a.save(D + "transparent.png")
im.save(D + "truecolour.bmp")
im.convert("P", palette=Image.Palette.ADAPTIVE).save(D + "palette.bmp")
im.save(D + "upright.png")
g = im.convert("L"); g.save(D + "grey.jpg", quality=95)
g16 = Image.new("I;16", (W, H))
for y in range(H):
    for x in range(W):
        g16.putpixel((x, y), 257 * g.getpixel((x, y)))
g16.save(D + "grey16.png")
def run(*a): subprocess.run([ff, "-hide_banner", "-loglevel", "error", "-y", *a], check=True)
run("-i", D + "upright.png", "-pix_fmt", "rgb48be", D + "ffmpeg_rgb48.png")
run("-i", D + "upright.png", "-pix_fmt", "rgba64be", D + "ffmpeg_rgba64.png")
run("-i", D + "upright.png", "-pix_fmt", "pal8", D + "ffmpeg_pal8.png")
run("-i", D + "upright.png", "-pred", "mixed", "-pix_fmt", "rgb24", D + "ffmpeg_mixed.png")
run("-i", D + "upright.png", "-q:v", "1", "-pix_fmt", "yuvj420p", D + "ffmpeg_mjpeg.jpg")
run("-i", D + "upright.png", D + "ffmpeg.bmp")
# damaged
d = open(D + "upright.png", "rb").read(); open("damaged/cut.png", "wb").write(d[:len(d)*2//3])
d = open(D + "progressive.jpg", "rb").read(); open("damaged/cut.jpg", "wb").write(d[:len(d)//3])
open("damaged/text.png", "w").write("no picture")
